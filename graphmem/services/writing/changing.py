"""Changing notes that are there. A writer never changes a note that it can't read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.drafts import check_choice, check_name, check_share, check_tags, check_text
from graphmem.domain.ids import check_domain
from graphmem.domain.notes import (
    MAX_CONTENT,
    MAX_TITLE,
    Note,
    Revision,
    Status,
    Tier,
    Validity,
    Wording,
)
from graphmem.domain.visibility import Visibility, may_change, narrower, rule_for
from graphmem.errors import Conflict, Forbidden, Invalid
from graphmem.language.extraction import mark_of
from graphmem.services.context import Access, Context, check_audience, events_step, room_steps
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.repeating import repeated
from graphmem.services.writing.rereading import reread
from graphmem.services.writing.words import words_of
from graphmem.store import deciding, notes
from graphmem.store.changes import change_row, change_step
from graphmem.store.events import event_row
from graphmem.store.graph import Row, Step
from graphmem.store.visibility import follow_step

REVISION_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a revise gives; None where nothing was given."""

    content: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    domain: str | None = None
    importance: float | None = None
    validity: Validity | None = None


def require_writer(access: Access) -> None:
    """Raise Forbidden for an agent that may only propose."""
    if access.viewer.proposes:
        raise Forbidden("this agent may not write by itself")


@repeated
async def revise(
    context: Context,
    access: Access,
    note_id: str,
    change: Change,
    expected_version: int | None = None,
) -> Note:
    """Change what is given of a note; its old text stays in a revision.

    Raises NotFound, Invalid, and Conflict when the note no longer has the expected version."""
    require_writer(access)
    note = await require_note(context, access, note_id)
    if expected_version is not None and expected_version != note.version:
        raise Conflict("the note has another version", currentVersion=note.version)
    now = context.clock()
    new = _changed(access, note, _checked(change), now)
    read: list[Step] = []
    if new.content != note.content or new.title != note.title:
        new, read = await reread(context, note, new, now, tags_given=change.tags is not None)
    given, changes = _difference(note, new)
    if not changes:
        return note
    if change.tags is not None:
        given["givenTags"] = list(new.tags)
    given |= {"coreMark": mark_of(new), "curatedKey": None}
    embedding = None
    if new.reading_text != note.reading_text:
        embedding = (await context.embedder.embed_documents([new.reading_text]))[0]
        given["words"] = await context.texts.run(lambda _: words_of(new))
    row = change_row(note, given, changes, embedding=embedding)
    event = note_event("EDIT", "note revised", new, access.viewer.actor, now)
    await write_change(context, access, row, note, new, now, event, after=read)
    return new


async def write_change(
    context: Context,
    access: Access,
    row: Row,
    old: Note,
    new: Note,
    now: datetime,
    event: Row,
    *,
    after: Sequence[Step] = (),
) -> None:
    """Change one note in a transaction: what hangs on its audience follows, the steps `after` and
    the event come last. Raises Forbidden for one audience too many, Stale when the note, the rules
    or the profiles have changed."""
    steps = [change_step([row], actor=access.viewer.actor, now=now)]
    room: list[Step] = []
    if new.audience != old.audience:
        check_audience(access, new.audience)
        steps.append(follow_step({new.id: new.audience}, access.viewer))
        room = room_steps(access, [new.audience])
    await context.graph.write(*steps, *after, events_step(access, [event]), *room)
    context.signal(new.user)


def _checked(change: Change) -> Change:
    if change == Change():
        raise Invalid("nothing to change was given")
    content, title = change.content, change.title
    return replace(
        change,
        content=None if content is None else check_text(content, "content", MAX_CONTENT),
        title=None if title is None else check_name(title, "title", MAX_TITLE),
        tags=None if change.tags is None else check_tags(change.tags),
        domain=None if change.domain is None else check_domain(change.domain),
        importance=check_share(change.importance, "importance"),
    )


def _changed(access: Access, note: Note, change: Change, now: datetime) -> Note:
    """The note as it will be, before its text is read: a domain rule may narrow the readers, and
    what the user revises is confirmed (DIFF-12)."""
    content = change.content or note.content
    visibility = note.visibility
    if change.domain is not None and change.domain != note.domain:
        rule = rule_for(change.domain, access.rules)
        visibility = visibility if rule is None else narrower(visibility, rule)
    confirmed = Validity.CONFIRMED if access.viewer.in_person else note.validity
    return replace(
        note,
        version=note.version + 1,
        updated_at=now,
        content=content,
        title=note.title if change.title is None else change.title,
        tags=note.tags if change.tags is None else change.tags,
        domain=change.domain or note.domain,
        visibility=visibility,
        importance=note.importance if change.importance is None else change.importance,
        validity=change.validity or (confirmed if content != note.content else note.validity),
    )


_REVISED = ("content", "title", "context", "keywords", "tags", "domain", "visibility")
_ALSO_REVISED = ("importance", "validity")


def _difference(old: Note, new: Note) -> tuple[dict[str, object], dict[str, object]]:
    """The properties to set, and old and new values for the revision (never the content twice)."""
    before, after = notes.note_properties(old), notes.note_properties(new)
    given = {
        name: after[name]
        for name in (*_REVISED, *_ALSO_REVISED, "titleKey")
        if before[name] != after[name]
    }
    changes: dict[str, object] = {
        name: [before[name], after[name]]
        for name in (*_REVISED, *_ALSO_REVISED)
        if name in given and name != "content"
    }
    if "content" in given:
        changes["content"] = True
    return given, changes


def note_event(
    kind: str,
    summary: str,
    note: Note,
    actor: str,
    now: datetime,
    data: object = None,
    channel: str = "memory_update",
) -> Row:
    """An event about a note, for those who may read the note."""
    return event_row(
        kind,
        summary,
        audience=note.audience.key,
        actor=actor,
        at=now,
        subject_id=note.id,
        domain=note.domain,
        channel=channel,
        data=data,
    )


@repeated
async def restore(context: Context, access: Access, note_id: str) -> Note:
    """Bring an archived note back, which is an access, or it would fade again at once; and one of
    long-term memory into short-term memory. Any other note stays as it is."""
    require_writer(access)
    note = await require_note(context, access, note_id)
    put_away = note.tier is Tier.LONG_TERM and note.status is not Status.SUPERSEDED
    if note.status is not Status.ARCHIVED and not put_away:
        return note
    now = context.clock()
    event = note_event("REVERT", "note restored", note, access.viewer.actor, now)
    row = status_row(note, Status.ACTIVE)
    if put_away:
        row = change_row(
            note,
            row["given"] | {"tier": Tier.SHORT_TERM, "promotedAt": now},
            {"status": [note.status, Status.ACTIVE], "tier": [note.tier, Tier.SHORT_TERM]},
        )
    used = notes.reinforce_step({note_id: (now,)}, 1.0)
    await write_change(context, access, row, note, note, now, event, after=[used])
    return await require_note(context, access, note_id)


def status_row(note: Note, status: Status, **changes: object) -> Row:
    """The row of a change that gives a note another status; `changes`: what the revision tells
    beside it."""
    given = {"status": status, "curatedKey": None, "archivedBy": None}
    return change_row(note, given, {"status": [note.status, status], **changes})


@repeated
async def pin(
    context: Context, access: Access, note_id: str, pinned: bool, visibility: Visibility | None
) -> Note:
    """Pin a note, so that it never decays, or let it decay again; perhaps with a visibility."""
    require_writer(access)
    note = await require_note(context, access, note_id)
    now = context.clock()
    half_life = None if pinned else note.half_life_hours or context.writing.half_life_hours
    new = replace(
        note, pinned=pinned, version=note.version + 1, updated_at=now, half_life_hours=half_life
    )
    given: dict[str, object] = {"pinned": pinned}
    if pinned or note.half_life_hours is None:  # else it may have grown since
        given["halfLifeHours"] = half_life
    changes: dict[str, object] = {"pinned": [note.pinned, pinned]}
    if visibility is not None and visibility is not note.visibility:
        require_may_change(access, note, visibility)
        new = replace(new, visibility=visibility)
        given |= visibility_given(visibility, by_user=access.viewer.in_person)
        changes["visibility"] = [note.visibility, visibility]
    row = change_row(note, given | {"coreMark": mark_of(new)}, changes)
    word = "pinned" if pinned else "unpinned"
    event = note_event("PIN", f"note {word}", new, access.viewer.actor, now)
    await write_change(context, access, row, note, new, now, event)
    return new


def require_may_change(access: Access, note: Note, visibility: Visibility) -> None:
    """Raise Forbidden when the viewer may not give the note this visibility, Invalid for LOCAL."""
    check_choice(visibility)
    if not may_change(access.viewer, note.visibility, visibility):
        raise Forbidden("only the user may give this note more readers")


def visibility_given(visibility: Visibility, *, by_user: bool) -> dict[str, object]:
    """The properties of a note that gets a visibility; `by_user`: the user said so of this very
    note. The key of its text stood for its readers, too."""
    given: dict[str, object] = {"visibility": visibility, "curatedKey": None}
    return given | ({"visibilityByUser": True} if by_user else {})


async def revisions_of(
    context: Context, access: Access, ids: Sequence[str], limit: int
) -> Mapping[str, list[Revision]]:
    """The newest revisions of readable notes, without those of a time when others could read them
    and the viewer could not."""
    return await notes.list_revisions(
        context.graph, ids, access.of_events, now=context.clock(), limit=min(limit, REVISION_PAGE)
    )


async def wordings_of(
    context: Context, access: Access, ids: Sequence[str], limit: int
) -> Mapping[str, list[Wording]]:
    """How readable notes were told, the first telling first; as for revisions."""
    return await deciding.list_wordings(
        context.graph, ids, access.of_events, now=context.clock(), limit=min(limit, REVISION_PAGE)
    )
