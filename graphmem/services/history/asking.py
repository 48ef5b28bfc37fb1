"""Questions about the past of the memory in everyday words (Moltbot 12.7).

Also the request to go back to an earlier state, which asks for confirmation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from graphmem.domain.alerts import is_edit
from graphmem.domain.notes import Note, NoteFilter, Revision, Status
from graphmem.errors import NotFound
from graphmem.language.extraction import date_mentions
from graphmem.language.messages import Audit, ParsedMessage, topic_of
from graphmem.services.context import Access, Context
from graphmem.services.history.reverting import WINDOW_DAYS, revert_to
from graphmem.services.reading.notes import get_note, list_notes
from graphmem.services.reflection.reading import Shown, list_reflections
from graphmem.store.alerts import lost_files
from graphmem.store.events import list_events
from graphmem.store.notes import list_revisions

RECENT: Final = timedelta(days=7)  # unless the question names a time
MOST: Final = 20  # changes, or archived notes, that are listed
REVISIONS: Final = 200  # newest ones of a note that are read
_ENDS: Final = ("", ".md")  # endings of a file's name that its note's external id may have
_GONE: Final = (Status.ARCHIVED, Status.SUPERSEDED)


@dataclass(frozen=True, kw_only=True)
class HistoryAnswer:
    """An answer in words, and the data behind it."""

    message: str
    data: dict[str, object] = field(default_factory=dict)
    reflection: Shown | None = None


async def audit(context: Context, access: Access, asked: ParsedMessage) -> HistoryAnswer:
    """Answer what changed, or why, what a reflection did, or who changed a file.

    The answer has only what the viewer may know; nothing is changed.
    """
    match asked.audit:
        case Audit.WHY:
            return await _explain_forgetting(context, access, asked.subject)
        case Audit.REFLECTION:
            return await _last_reflection(context, access)
        case Audit.FILE:
            return await _list_file_changes(context, access, asked.subject)
        case _:
            return await _list_changes(context, access, asked.subject)


async def ask_to_revert(context: Context, access: Access, asked: ParsedMessage) -> HistoryAnswer:
    """Count the notes that would change if the memory went back to a time.

    A day means its end, today its beginning. Nothing is changed; `revertTo` does it. Raises
    Forbidden for an agent, Invalid for a time that is too far back.
    """
    now = context.clock()
    at = _parse_time(asked.subject, now, end=True)
    if at is None:
        return HistoryAnswer(
            message="To which time? A day, such as yesterday or 2026-03-01, is enough."
        )
    count = await revert_to(context, access, at, dry_run=True)
    notes = "1 note" if count == 1 else f"{count} notes"
    return HistoryAnswer(
        message=f"{notes} would become what they were at {at:%Y-%m-%d %H:%M} UTC. "
        "Should I do it? The mutation `revertTo` does; nothing was changed.",
        data={"at": at.isoformat(), "notes": count},
    )


def _parse_time(text: str, now: datetime, *, end: bool) -> datetime | None:
    """Return the first time that a text names.

    Of a span it is the end, if it is over, else the beginning.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        dates = date_mentions(text, now)
        if not dates:
            return None
        return dates[0].end if end and dates[0].end <= now else dates[0].start
    return found if found.tzinfo else found.replace(tzinfo=now.tzinfo)


async def _list_changes(context: Context, access: Access, subject: str) -> HistoryAnswer:
    now = context.clock()
    since = _parse_time(subject, now, end=False) or now - RECENT
    since = max(min(since, now), now - timedelta(days=WINDOW_DAYS))
    found = await list_events(
        context.graph,
        access.viewer.user,
        access.of_events,
        newest_first=True,
        since=since,
        now=now,
        limit=MOST,
    )
    count = f"{MOST} or more" if len(found) == MOST else f"{len(found)}"
    message = f"{count} changes since {since:%Y-%m-%d %H:%M} UTC"
    if found:
        message += f"; the last: {found[0].summary}, by {found[0].actor}"
    rows = [
        {
            "at": event.at.isoformat(),
            "type": event.type,
            "actor": event.actor,
            "summary": event.summary,
            "noteId": event.subject_id,
        }
        for event in found
    ]
    return HistoryAnswer(message=f"{message}.", data={"since": since.isoformat(), "changes": rows})


async def _explain_forgetting(context: Context, access: Access, subject: str) -> HistoryAnswer:
    about = topic_of(subject) or subject
    given = NoteFilter(text=about, statuses=_GONE)
    page = await list_notes(context, access, given, first=MOST, after=None)
    revisions = await _load_revisions(context, access, page.notes)
    rows = [_describe_archiving(note, revisions.get(note.id, ())) for note in page.notes]
    if not rows:
        return HistoryAnswer(message=f"I have forgotten nothing about {about}.", data={"notes": []})
    notes = "1 memory" if len(rows) == 1 else f"{len(rows)} memories"
    first = rows[0]
    message = f"I put away {notes} about {about}; the newest: {first['status']}"
    message += f" by {first['actor']}" if first["actor"] else ""
    message += f", since {first['reason']}" if first["reason"] else ""
    return HistoryAnswer(message=f"{message}.", data={"notes": rows})


def _describe_archiving(note: Note, revisions: Sequence[Revision]) -> dict[str, object]:
    """Return how a note left the memory, according to its revisions."""
    change = next((each for each in revisions if "status" in each.changes), None)
    reason = change.changes.get("reason") if change else None
    return {
        "id": note.id,
        "content": note.content,
        "status": note.status.lower(),
        "at": change.at.isoformat() if change else None,
        "actor": change.actor if change else None,
        "reason": reason,
    }


async def _last_reflection(context: Context, access: Access) -> HistoryAnswer:
    found = await list_reflections(context, access, status=None, first=1)
    if not found:
        return HistoryAnswer(message="There was no reflection yet.")
    made = found[0].reflection
    accepted = sum(item.accepted is True for item in made.items)
    return HistoryAnswer(
        message=f"Reflection #{made.number} of {made.at:%Y-%m-%d} is {made.status.lower()}: "
        f"{len(made.items)} proposed, {accepted} accepted.",
        reflection=found[0],
    )


async def _list_file_changes(context: Context, access: Access, name: str) -> HistoryAnswer:
    """Return who changed a note that is named by its external id, as a file is."""
    bare = name.removesuffix(".md")
    note: Note | None = None
    for end in _ENDS:
        try:
            note = await get_note(context, access, None, bare + end)
            break
        except NotFound:
            continue
    lost = await _describe_loss(context, access, bare)
    if note is None:
        return HistoryAnswer(message=" ".join([*lost, f"I know of no {name}."]))
    revisions = (await _load_revisions(context, access, [note])).get(note.id, ())
    edits = [each for each in revisions if is_edit(each.changes)]
    rows = [
        {"version": each.version, "at": each.at.isoformat(), "actor": each.actor} for each in edits
    ]
    if edits:
        times = "once" if len(edits) == 1 else f"{len(edits)} times"
        message = f"{name} was changed {times}, last on {edits[0].at:%Y-%m-%d} by {edits[0].actor}."
    elif lost:  # its earlier content is not known
        message = f"The {name} of now is of {note.created_at:%Y-%m-%d}."
    else:
        message = f"{name} has not been changed since {note.created_at:%Y-%m-%d}."
    message = " ".join([*lost, message])
    return HistoryAnswer(message=message, data={"noteId": note.id, "changes": rows})


async def _describe_loss(context: Context, access: Access, file: str) -> list[str]:
    """Return a sentence saying that a file of this name was destroyed, if that is known."""
    found = await lost_files(context.graph, access.viewer.user, None, access.by_name, asked=False)
    return [
        f"{each.file} was destroyed on {each.at:%Y-%m-%d} by {each.by}."
        for each in found
        if each.file == file
    ]


async def _load_revisions(
    context: Context, access: Access, notes: Sequence[Note]
) -> dict[str, list[Revision]]:
    return await list_revisions(
        context.graph,
        [note.id for note in notes],
        access.of_events,
        now=context.clock(),
        limit=REVISIONS,
    )
