"""Notes as they were at an instant: their text and fields, put together from their revisions."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.domain.drafts import check_instant
from graphmem.domain.notes import NEVER, Note, Revision, Status, Validity
from graphmem.services.context import Access, Context, missing
from graphmem.services.reading.notes import get_note
from graphmem.store import notes as store

KEPT = 1_000  # newest revisions of a note that are looked through
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
    """One readable note, as it was at an instant. Raises NotFound when it was not there then, or
    not for readers that the viewer is one of."""
    note = await get_note(context, access, note_id, external_id)
    at = check_instant(as_of, "asOf")
    if at is None:
        return note
    if note.created_at > at:
        raise missing("note")
    past = await as_then(context, access.of_events, [note], at)
    if note.id not in past:
        raise missing("note")
    return past[note.id]


async def as_then(
    context: Context, audiences: Sequence[str], notes: Iterable[Note], at: datetime
) -> dict[str, Note]:
    """The notes as they were at an instant, by id. They are read as of now; one whose readers
    changed since is left out where `audiences` hold none of its audience of then."""
    found = {note.id: note for note in notes}
    changed = [note.id for note in found.values() if note.updated_at > at]
    if not changed:
        return found
    revisions = await store.list_revisions(
        context.graph, changed, audiences, now=context.clock(), limit=KEPT
    )
    past = {i: _undone(found[i], revisions.get(i, []), at) for i in changed}
    then = {i: past.get(i, note) for i, note in found.items()}
    return {i: note for i, note in then.items() if note is not None}


def _undone(note: Note, revisions: Sequence[Revision], at: datetime) -> Note | None:
    """The note without the changes that came later; the newest come first. None when no state of
    then may be read."""
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
    """The note with what one of its fields was before, by the name that revisions have for it."""
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
