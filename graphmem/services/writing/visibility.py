"""Changing who may read: of one note, or of a domain by a rule."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from graphmem.domain.drafts import check_choice
from graphmem.domain.ids import check_domain, is_within
from graphmem.domain.visibility import Visibility, audience_of, narrower, rule_for
from graphmem.errors import Invalid, Stale
from graphmem.services.actors import reopened
from graphmem.services.context import (
    Access,
    Context,
    events_step,
    require_in_person,
    user_audience,
)
from graphmem.services.proposals.following import follow_rules
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.changing import (
    by_user,
    change_note,
    narrow_each,
    narrow_made,
    require_may_change,
    require_writer,
)
from graphmem.services.writing.repeating import repeated
from graphmem.store.changes import change_step
from graphmem.store.events import append_step, event_row
from graphmem.store.purging import made_of
from graphmem.store.rows import ChangeRow, RevisionRow
from graphmem.store.visibility import NoteBelow, notes_below, put_rule_step

PAGE = 500
ATTEMPTS = 50  # on a page that became one note, while others change that note
MAX_TOLD = 1000  # ids that an answer lists


@dataclass(frozen=True, kw_only=True)
class Moved:
    """What a change of visibility did."""

    updated: int
    note_ids: tuple[str, ...]
    rule: tuple[str, Visibility] | None = None


@repeated
async def set_note_visibility(
    context: Context, access: Access, note_id: str, visibility: Visibility
) -> Moved:
    """Give one readable note another visibility (DIFF-15 says who may). Where that takes readers
    away, what jobs have made of it for the same readers goes with it, and before it: that holds its
    words."""
    require_writer(access)
    note = await require_note(context, access, note_id)
    if note.visibility is visibility:
        return Moved(updated=0, note_ids=())
    require_may_change(access, note, visibility)
    new, given = replace(note, visibility=visibility), by_user(access)
    after = await narrow_made(context, access, note, new)
    await change_note(
        context, access, note, new, "VISIBILITY", "readers changed", after, properties=given
    )
    return Moved(updated=1, note_ids=(note.id,))


async def set_domain_visibility(
    context: Context, access: Access, domain: str, visibility: Visibility
) -> Moved:
    """Set the rule of a domain, and make it hold for the notes that are there: all of them when it
    takes readers away; when it adds some, those that the user did not decide upon one by one.
    Notes under a longer rule keep that one. For the user in person.

    Whoever writes at the same time by the rules of before is made to decide anew, so that each note
    is either found here or written under the new rule."""
    require_in_person(access, "a visibility rule")
    domain, visibility = check_domain(domain), check_choice(visibility)
    user, now = access.viewer.user, context.clock()
    event = event_row(
        "VISIBILITY",
        "visibility rule set",
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=now,
        domain=domain,
        channel="state_change",
        data={"visibility": visibility},
    )
    rule = put_rule_step(user, domain, visibility, now)
    await context.graph.write(rule, append_step(user, [event]))
    changed = await _sweep(context, access, domain, visibility)
    await _narrow_made(context, access, domain, visibility, changed)
    await follow_rules(context, access, domain)
    context.signal(user)
    return Moved(
        updated=len(changed), note_ids=tuple(changed[:MAX_TOLD]), rule=(domain, visibility)
    )


async def _sweep(
    context: Context, access: Access, domain: str, visibility: Visibility
) -> list[str]:
    """Make the rule hold for the notes that are there, page by page; the ids of those that changed.
    A page of which a note changes meanwhile is read anew, and smaller. Where somebody sets the rule
    anew, that one's own sweep goes on."""
    changed: list[str] = []
    after, size, failed = "", PAGE, 0
    access = await reopened(context, access)
    while access.rules.get(domain) is visibility:
        found = await notes_below(
            context.graph, access.viewer.user, domain, visibility, after=after, limit=size
        )
        if not found:
            break
        moves = list(_moves(found, access, domain, visibility))
        try:
            if moves:  # what is made of them goes first: a process that dies leaves nothing wide
                ids = [move.id for move in moves]
                await _narrow_made(context, access, domain, visibility, ids)
                await _move(context, access, moves)
        except Stale:
            failed += size == 1
            if failed == ATTEMPTS:
                raise
            access, size = await reopened(context, access), max(1, size // 8)
            continue
        after, size, failed = found[-1].id, min(PAGE, size * 8), 0
        changed += [move.id for move in moves]
    return changed


async def _narrow_made(
    context: Context, access: Access, domain: str, visibility: Visibility, changed: list[str]
) -> None:
    """Take readers from what jobs made of notes that lost them to the rule, in other domains: it
    was made where the notes were before."""
    access = await reopened(context, access)
    source = audience_of(access.viewer.user, visibility, domain)
    known = {audience.key: audience for audience in access.audiences}
    for start in range(0, len(changed), PAGE):
        made = await made_of(context.graph, changed[start : start + PAGE])
        elsewhere = {
            note: key
            for note, key in made.items()
            if key in known and not is_within(known[key].domain, domain)
        }
        await narrow_each(context, access, elsewhere, source)


def _moves(
    found: list[NoteBelow], access: Access, domain: str, visibility: Visibility
) -> Iterator[ChangeRow]:
    longer = {d: v for d, v in access.rules.items() if len(d) > len(domain)}
    for note in found:
        if rule_for(note.domain, longer) is not None:
            continue
        if note.by_user and narrower(note.visibility, visibility) is note.visibility:
            continue
        changes = {"visibility": [note.visibility, visibility]}
        yield ChangeRow(
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
) -> Moved:
    """Of one note by id, or of a domain."""
    if (note_id is None) == (domain is None):
        raise Invalid("give id or domain, one of the two")
    if note_id is not None:
        return await set_note_visibility(context, access, note_id, visibility)
    return await set_domain_visibility(context, access, domain or "", visibility)
