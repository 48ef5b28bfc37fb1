"""Texts that clashed: the graph's one becomes a note, in conflict with that of the file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from graphmem.domain.notes import Note, WriteMode
from graphmem.domain.visibility import audience_of
from graphmem.errors import Forbidden, GraphmemError, NotFound, Unavailable
from graphmem.language.comparison import ConflictVerdict
from graphmem.services.conflicts import MAX_PAGE, get_conflict, list_conflicts, resolve_conflict
from graphmem.services.context import Access, Context, events_step
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.reading.notes import load_many
from graphmem.services.syncing.entries import draft_of
from graphmem.services.syncing.folder import stamp_of
from graphmem.services.writing.change_set import note_event
from graphmem.services.writing.remember import remember
from graphmem.store.changes import unchanged_step
from graphmem.store.conflicts import CLASHED, open_step
from graphmem.store.consolidation import derive_step

SAME_SUBJECT: Final = 1.0  # the similarity of two texts of one note


@dataclass(frozen=True, kw_only=True)
class Clash:
    """A file whose text clashed with that of its note in the graph.

    `note`: as the graph had it; `other`: the note that says so now, and the `conflict` of the two;
    None where there is none."""

    path: PurePosixPath
    note: Note
    other: str | None = None
    conflict: str | None = None


async def open_clash(context: Context, access: Access, path: PurePosixPath, was: Note) -> Clash:
    """Make a note of the text that the graph had, and open a conflict with the note of the file.

    The new note has the readers of that of the file, loses those that it loses, and is destroyed
    with it. Where the viewer can't write one for these readers, the text stays a revision alone.
    Raises Unavailable."""
    clash = Clash(path=path, note=was)
    try:
        note = (await load_many(context, access, [was.id])).get(was.id)
        if note is None or not _has_same_readers(access, note):
            return clash
        draft = replace(draft_of(was), domain=note.domain, visibility=note.visibility)
        draft = replace(draft, pinned=False, load_bearing=False)
        done = await remember(context, access, draft, WriteMode.VERBATIM)
        if done.note is None or done.note.id == note.id or done.note.audience != note.audience:
            return clash
        conflict = await _open_or_take_back(context, access, note, done.note)
    except Unavailable:
        raise
    except GraphmemError:
        return clash
    return replace(clash, other=done.note.id, conflict=conflict)


def _has_same_readers(access: Access, note: Note) -> bool:
    """Check if a note that the viewer writes there has the readers of this one."""
    user, agent = access.viewer.user, access.viewer.agent
    own = audience_of(user, note.visibility, note.domain, agent.id if agent else None)
    return own == note.audience


async def _open_or_take_back(
    context: Context, access: Access, note: Note, other: Note
) -> str | None:
    try:
        return await _open(context, access, note, other)
    except Unavailable:
        raise
    except GraphmemError:  # the note of the file changed meanwhile, perhaps its readers
        try:
            await forget_notes(context, access, [other], permanent=True, reason=None)
        except Forbidden:
            await forget_notes(context, access, [other], permanent=False, reason=None)
        raise


async def _open(context: Context, access: Access, note: Note, other: Note) -> str | None:
    user, now, by = access.viewer.user, context.clock(), access.viewer.actor
    opening = open_step(user, [(note.id, other.id, SAME_SUBJECT)], ConflictVerdict.AMBIGUOUS, now)
    summary, data = "a file and the memory say two things", {"notes": [note.id, other.id]}
    event = note_event("ALERT", summary, other, by, now, data, "memory_conflict", other=note)
    made = {"note": other.id, "sources": [note.id], "tellers": []}
    await context.graph.write(
        unchanged_step([note, other]),
        derive_step([made], maker=CLASHED, now=now),
        opening,
        events_step(access, [event]),
    )
    context.signal(user)
    newest = await list_conflicts(context, access, is_open=True, first=MAX_PAGE)
    return next((each.id for each in newest if {*each.notes} == {note.id, other.id}), None)


async def settle_clashes(
    context: Context, access: Access, root: Path, beside: Mapping[PurePosixPath, tuple[str, str]]
) -> tuple[list[str], set[PurePosixPath]]:
    """Close the conflicts whose text beside the file was deleted: the file's text stays.

    `beside`: the note and the conflict of each text. Returns in words what was done, and the texts
    whose conflict is closed. Raises Unavailable."""
    told: list[str] = []
    closed: set[PurePosixPath] = set()
    for path, (note, conflict) in beside.items():
        try:
            found = await get_conflict(context, access, conflict)
            if found.open and stamp_of(root / path) is None:
                [keep] = {*found.notes} - {note}
                verdict = ConflictVerdict.CONTRADICTORY
                await resolve_conflict(context, access, conflict, verdict, keep)
                told.append(f"{path}: conflict closed, the file stays as it is")
            if not found.open:
                closed.add(path)
        except NotFound:
            closed.add(path)
        except Unavailable:
            raise
        except GraphmemError:
            continue  # it is tried again by the next sync
    return told, closed
