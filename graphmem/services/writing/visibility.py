"""Changes who may read: one note, or a domain by a rule."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.alerts import is_expected, names_file
from graphmem.domain.drafts import check_choice
from graphmem.domain.ids import check_domain, is_within
from graphmem.domain.notes import Note
from graphmem.domain.visibility import (
    Visibility,
    VisibilityRule,
    audience_of,
    narrower_visibility,
    rule_for,
)
from graphmem.errors import Conflict, Invalid, Stale
from graphmem.services.actors import reopen_access
from graphmem.services.context import (
    Access,
    Context,
    events_step,
    require_in_person,
    user_audience,
)
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.changing import (
    by_user,
    change_note,
    change_readers,
    mark_made,
    narrow_each,
    require_writer,
)
from graphmem.services.writing.proposal_readers import follow_rules
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import is_marked
from graphmem.store.changes import change_step
from graphmem.store.events import append_step, event_row
from graphmem.store.purging import list_derived_notes
from graphmem.store.rows import ChangeRow, EventRow, RevisionRow
from graphmem.store.visibility import NoteBelow, notes_below, put_rule_step

PAGE = 500
ATTEMPTS = 50  # on a page that became one note, while others change that note
MAX_TOLD = 1000  # ids that an answer lists


@dataclass(frozen=True, kw_only=True)
class VisibilityChange:
    """The result of a change of visibility."""

    updated_count: int
    note_ids: tuple[str, ...]
    rule: VisibilityRule | None = None


@repeat_while_stale
async def set_note_visibility(
    context: Context,
    access: Access,
    note_id: str,
    visibility: Visibility,
    *,
    expected_version: int | None = None,
) -> VisibilityChange:
    """Give one readable note another visibility (DIFF-15 says who may).

    Where that takes readers away, what jobs have made of the note for the same readers goes first,
    because that holds its words. Raises Conflict when the note no longer has the expected version.
    """
    require_writer(access)
    note = await require_note(context, access, note_id)
    if expected_version is not None and expected_version != note.version:
        raise Conflict("the note has another version", currentVersion=note.version)
    new = replace(note, visibility=check_choice(visibility))
    if note.visibility is visibility:
        await _record_decision(context, access, note)
        return VisibilityChange(updated_count=0, note_ids=())
    given, after = await change_readers(context, access, note, new)
    given |= by_user(access)
    await change_note(
        context, access, note, new, "VISIBILITY", "readers changed", after, properties=given
    )
    return VisibilityChange(updated_count=1, note_ids=(note.id,))


async def _record_decision(context: Context, access: Access, note: Note) -> None:
    """Record that the user in person chose the visibility that a note has already.

    Without that, an agent could widen it.
    """
    if access.viewer.in_person and not await is_marked(context, access, note):
        changes = {"visibility": [note.visibility, note.visibility]}
        await change_note(
            context,
            access,
            note,
            note,
            "VISIBILITY",
            "readers confirmed",
            details=changes,
            properties=by_user(access),
        )
        await mark_made(context, access, note)


async def set_domain_visibility(
    context: Context, access: Access, domain: str, visibility: Visibility
) -> VisibilityChange:
    """Set the rule of a domain, and apply it to the existing notes.

    It applies to all of them when it takes readers away; when it adds some, to those that the user
    did not decide one by one. Notes under a longer rule keep that one. For the user in person.
    Whoever writes at the same time by the old rules has to decide again, so that each note is
    either found here or written under the new rule.
    """
    require_in_person(access, "a visibility rule")
    domain, visibility = check_domain(domain), check_choice(visibility)
    user, now = access.viewer.user, context.clock()
    event = rule_event(access, domain, visibility, now)
    rule = put_rule_step(user, domain, visibility, now)
    await context.graph.write(rule, append_step(user, [event]))
    changed = [move.id for move in await sweep(context, access, domain, visibility)]
    await narrow_made_of(context, access, domain, visibility, changed)
    await follow_rules(context, access, domain)
    context.signal(user)
    return VisibilityChange(
        updated_count=len(changed),
        note_ids=tuple(changed[:MAX_TOLD]),
        rule=VisibilityRule(domain=domain, visibility=visibility),
    )


def rule_event(access: Access, domain: str, visibility: Visibility, now: datetime) -> EventRow:
    """Return the event that informs the user of a rule."""
    return event_row(
        "VISIBILITY",
        "visibility rule set",
        audience=user_audience(access.viewer.user),
        actor=access.viewer.actor,
        at=now,
        domain=domain,
        channel="state_change",
        data={"visibility": visibility},
    )


Read = Callable[[str, int], Awaitable[Sequence[NoteBelow]]]  # (note before, number of notes)


async def sweep(
    context: Context,
    access: Access,
    domain: str,
    visibility: Visibility,
    *,
    narrowing: bool = False,
    read: Read | None = None,
    about: Callable[[NoteBelow], bool] | None = None,
) -> list[ChangeRow]:
    """Apply the rule to the existing notes, page by page, and return the changes that were made.

    A page with a note that changes meanwhile is read again, and smaller. Where somebody sets the
    rule again, the sweep of that call takes over. `narrowing`: no note gets more readers by it.
    With `read` and `about`, it goes through notes elsewhere; those about the same lose readers.
    """

    async def below(after: str, limit: int) -> Sequence[NoteBelow]:
        user = access.viewer.user
        return await notes_below(context.graph, user, domain, visibility, after=after, limit=limit)

    changed: list[ChangeRow] = []
    after, size, failed = "", PAGE, 0
    access = await reopen_access(context, access)
    while _is_in_force(access, domain, visibility, closely=about is None):
        page = await (read or below)(after, size)
        if not page:
            break
        found = [note for note in page if not _is_kept(access, note)]
        if about is None:
            moves = list(_move_rows(found, access, domain, visibility, narrowing=narrowing))
        else:
            chosen = await context.texts.each(about, found, lambda note: len(note.text))
            those = [note for note, is_chosen in zip(found, chosen, strict=True) if is_chosen]
            moves = [_move_row(note, access, visibility) for note in those]
        try:
            # what is made of them goes first: a process that dies leaves nothing too widely
            # readable
            if moves:
                ids = [move.id for move in moves]
                await narrow_made_of(context, access, domain, visibility, ids)
                await _move(context, access, moves)
        except Stale:
            failed += size == 1
            if failed == ATTEMPTS:
                raise
            access, size = await reopen_access(context, access), max(1, size // 8)
            continue
        after, size, failed = page[-1].id, min(PAGE, size * 8), 0
        changed += moves
    return changed


def _is_kept(access: Access, note: NoteBelow) -> bool:
    """Return True if a note is a file that agents follow, and an agent speaks for the user.

    The user alone changes the readers of such a file.
    """
    is_file = note.author is None and names_file(note.external_id)
    return is_file and not is_expected(access.viewer.actor)


def _is_in_force(access: Access, domain: str, visibility: Visibility, *, closely: bool) -> bool:
    """Return True if the rule is still that of the domain, or if not `closely`, one as narrow."""
    if closely:
        return access.rules.get(domain) is visibility
    rule = rule_for(domain, access.rules)
    return rule is not None and narrower_visibility(rule, visibility) is rule


async def narrow_made_of(
    context: Context, access: Access, domain: str, visibility: Visibility, changed: list[str]
) -> None:
    """Take readers from what jobs made of notes that lost them to the rule, in other domains.

    It was made where the notes were before.
    """
    access = await reopen_access(context, access)
    source = audience_of(access.viewer.user, visibility, domain)
    known = {audience.key: audience for audience in access.audiences}
    for start in range(0, len(changed), PAGE):
        made = await list_derived_notes(context.graph, changed[start : start + PAGE])
        elsewhere = {
            note: key
            for note, key in made.items()
            if key in known and not is_within(known[key].domain, domain)
        }
        await narrow_each(context, access, elsewhere, source)


def _move_rows(
    found: Sequence[NoteBelow],
    access: Access,
    domain: str,
    visibility: Visibility,
    *,
    narrowing: bool,
) -> Iterator[ChangeRow]:
    longer = {d: v for d, v in access.rules.items() if len(d) > len(domain)}
    for note in found:
        if rule_for(note.domain, longer) is not None:
            continue
        if (note.by_user or narrowing) and narrower_visibility(
            note.visibility, visibility
        ) is note.visibility:
            continue
        yield _move_row(note, access, visibility)


def _move_row(note: NoteBelow, access: Access, visibility: Visibility) -> ChangeRow:
    changes = {"visibility": [note.visibility, visibility]}
    return ChangeRow(
        id=note.id,
        version=note.version,
        audience=note.audience,
        readers=audience_of(access.viewer.user, visibility, note.domain, note.author),
        given={"visibility": visibility, "curatedKey": None},
        revisions=[RevisionRow(version=note.version + 1, changes=changes)],
    )


async def _move(context: Context, access: Access, moves: list[ChangeRow]) -> None:
    user, actor, now = access.viewer.user, access.viewer.actor, context.clock()
    agent = access.viewer.agent.id if access.viewer.agent else None
    events = [
        event_row(
            "VISIBILITY",
            "readers changed",
            audience=move.readers.key,
            actor=actor,
            at=now,
            subject_id=move.id,
            domain=move.readers.domain,
        )
        for move in moves
        if move.readers is not None
    ]
    await context.graph.write(
        change_step(moves, user=user, agent=agent, actor=actor, now=now),
        events_step(access, events),
    )


async def set_visibility(
    context: Context,
    access: Access,
    note_id: str | None,
    domain: str | None,
    visibility: Visibility,
) -> VisibilityChange:
    """Set the visibility of one note by id, or of a domain."""
    if (note_id is None) == (domain is None):
        raise Invalid("give id or domain, one of the two")
    if note_id is not None:
        return await set_note_visibility(context, access, note_id, visibility)
    return await set_domain_visibility(context, access, domain or "", visibility)
