"""Notes as they were at an instant: their text and fields, put together from their revisions."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime

from graphmem.domain.drafts import check_instant
from graphmem.domain.notes import NEVER, Note, NoteFilter, Revision, Status, Validity
from graphmem.services.context import Access, Context, missing
from graphmem.services.reading import notes as reading
from graphmem.services.reading.notes import Page, check_filter, cursor, get_note
from graphmem.store import notes as store

KEPT = 1_000  # newest revisions of a note that are read
AT_ONCE = 100  # notes whose revisions are read together
_PLAIN = {"title": "title", "context": "context", "importance": "importance"} | {
    "confidence": "confidence",
    "pinned": "pinned",
}


async def get_note_as_of(
    context: Context,
    access: Access,
    note_id: str | None,
    external_id: str | None,
    as_of: datetime | None,
) -> Note:
    """Return one readable note, as it was at an instant.

    Raises NotFound when it did not exist then, or had other readers.
    """
    note = await get_note(context, access, note_id, external_id)
    at = check_instant(as_of, "asOf")
    if at is None:
        return note
    if note.created_at > at:
        raise missing("note")
    past = await load_as_of(context, access.of_events, [note], at)
    if note.id not in past:
        raise missing("note")
    return past[note.id]


async def list_notes_as_of(
    context: Context,
    access: Access,
    given: NoteFilter,
    *,
    first: int,
    after: str | None,
    as_of: datetime | None,
) -> Page:
    """Return a page of readable notes; as of an instant those that existed then, as they were then.

    Status, tags and text of the filter are meant as of then, the rest of it as of now. Raises
    Invalid.
    """
    at = check_instant(as_of, "asOf")
    if at is None:
        return await reading.list_notes(context, access, given, first=first, after=after)
    shown: list[tuple[Note, datetime]] = []
    size = min(first + 1, AT_ONCE)
    async with aclosing(_iterate_as_of(context, access, given, at, size, after)) as notes:
        async for note in notes:
            shown.append((note, note.created_at))
            if len(shown) > first:
                break
    page = shown[:first]
    return Page(
        notes=tuple(note for note, _ in page),
        cursors=tuple(cursor(written, note.id) for note, written in page),
        has_next=len(shown) > first,
        has_previous=after is not None,
    )


async def count_notes_as_of(
    context: Context, access: Access, given: NoteFilter, as_of: datetime | None
) -> int:
    """Count the notes of such a list."""
    at = check_instant(as_of, "asOf")
    if at is None:
        return await reading.count_notes(context, access, given)
    count = 0
    async for _ in _iterate_as_of(context, access, given, at, AT_ONCE, None):
        count += 1
    return count


async def every_note_as_of(
    context: Context, access: Access, at: datetime, statuses: Sequence[Status] = ()
) -> list[Note]:
    """Return the readable notes that existed at an instant, as they were then, newest first.

    Those with some statuses at that time, by default the live ones.
    """
    given = NoteFilter(statuses=tuple(statuses))
    async with aclosing(_iterate_as_of(context, access, given, at, AT_ONCE, None)) as notes:
        return [note async for note in notes]


async def _iterate_as_of(
    context: Context,
    access: Access,
    given: NoteFilter,
    at: datetime,
    size: int,
    after: str | None,
) -> AsyncGenerator[Note]:
    """Yield the notes of an instant that pass a filter, newest first.

    They are read in pages of some size, of notes that may have passed it then.
    """
    wanted = check_filter(given)
    now = replace(wanted, statuses=tuple(Status), tags=(), text=None)
    while True:
        page = await reading.list_notes(context, access, now, first=size, after=after, known=at)
        past = await load_as_of(context, access.of_events, page.notes, at)
        for note in page.notes:
            if note.id in past and _passes_filter(past[note.id], wanted):
                yield past[note.id]
        if not (page.has_next and page.cursors):
            return
        after = page.cursors[-1]


def _passes_filter(note: Note, wanted: NoteFilter) -> bool:
    text = (wanted.text or "").lower()
    return (
        note.status in (wanted.statuses or store.LIVE_STATUSES)
        and set(wanted.tags) <= set(note.tags)
        and (text in note.content.lower() or text in (note.title or "").lower())
    )


async def load_as_of(
    context: Context, audiences: Sequence[str], notes: Iterable[Note], at: datetime
) -> dict[str, Note]:
    """Return the notes as they were at an instant, by id.

    They are read as of now; one whose readers changed since is left out where `audiences` does not
    contain its audience of that time.
    """
    found = {note.id: note for note in notes}
    changed = [note.id for note in found.values() if note.updated_at > at]
    if not changed:
        return found
    revisions = await store.list_revisions(
        context.graph, changed, audiences, now=context.clock(), limit=KEPT
    )
    past = {i: _undo_changes(found[i], revisions.get(i, []), at) for i in changed}
    then = {i: past.get(i, note) for i, note in found.items()}
    return {i: note for i, note in then.items() if note is not None}


def _undo_changes(note: Note, revisions: Sequence[Revision], at: datetime) -> Note | None:
    """Return the note without the changes that came later; the newest come first.

    None when no state of then may be read.
    """
    for revision in revisions:
        if revision.at <= at:
            return replace(
                note,
                content=revision.content,
                version=revision.version,
                updated_at=revision.at,
            )
        for name, change in revision.changes.items():
            if isinstance(change, list) and len(change) == 2:
                note = without_change(note, name, change[0])
    return note if len(revisions) == KEPT else None


def without_change(note: Note, name: str, old: object) -> Note:
    """Return the note with the old value of a field, by the name that revisions have for it."""
    match name, old:
        case (("keywords" | "tags"), list()):
            return replace(note, **{name: tuple(old)})
        case "status", str():
            return replace(note, status=Status(old))
        case "validity", str():
            return replace(note, validity=Validity(old))
        case "validTo", str():
            ended = datetime.fromisoformat(old)
            return replace(note, valid_to=None if ended >= NEVER else ended)
        case _ if name in _PLAIN:
            return replace(note, **{_PLAIN[name]: old})  # type: ignore[arg-type]
    return note
