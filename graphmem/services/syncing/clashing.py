"""Texts that clashed: the graph's one becomes a note, in conflict with that of the file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, WriteMode
from graphmem.domain.visibility import Visibility, derive_audience
from graphmem.errors import GraphmemError, NotFound, Unavailable
from graphmem.language.comparison import ConflictVerdict
from graphmem.services.conflicts import get_conflict, resolve_conflict
from graphmem.services.context import Access, Context, events_step
from graphmem.services.reading.notes import load_many
from graphmem.services.syncing.entries import draft_of
from graphmem.services.syncing.folder import stamp_of
from graphmem.services.writing.change_set import note_event
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.remember import encode, prepare
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store.changes import unchanged_step
from graphmem.store.conflicts import CLASHED, open_step
from graphmem.store.consolidation import derive_step

SAME_SUBJECT: Final = 1.0  # the similarity of two texts of one note
NOTHING: Final = (None, None)


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
    with it: it is written with its tie, or not at all. Where the viewer can't write one for these
    readers, and where the note of the file has got others, the text stays a revision alone. Raises
    Unavailable."""
    try:
        other, conflict = await _open(context, access, was)
    except Unavailable:
        raise
    except GraphmemError:
        other, conflict = NOTHING
    return Clash(path=path, note=was, other=other, conflict=conflict)


@repeat_while_stale
async def _open(context: Context, access: Access, was: Note) -> tuple[str | None, str | None]:
    """Write the note, its tie to that of the file and their conflict in one transaction.

    Returns the ids of note and conflict, NOTHING where the viewer can't write for the same readers.
    """
    require_writer(access)
    note = (await load_many(context, access, [was.id])).get(was.id)
    if note is None or _is_wider(note, was):
        return NOTHING
    user, now, by = access.viewer.user, context.clock(), access.viewer.actor
    draft = replace(draft_of(was), domain=note.domain, visibility=note.visibility)
    draft = replace(draft, pinned=False, load_bearing=False)
    plan = await context.texts.run(
        lambda _: plan_of(context, access, 0, uuid7(now), draft, WriteMode.VERBATIM, now)
    )
    other = plan.note
    if other.audience != note.audience:
        return NOTHING
    [choice], steps = await prepare(context, access, [plan], encode(context, [plan]), now)
    if choice.error is not None:
        raise choice.error
    pair = (note.id, other.id, SAME_SUBJECT)
    summary, data = "a file and the memory say two things", {"notes": [note.id, other.id]}
    event = note_event("ALERT", summary, other, by, now, data, "memory_conflict", other=note)
    tie = {"note": other.id, "sources": [note.id], "tellers": []}
    *_, opened, _ = await context.graph.write(
        # First: who narrows or purges the note meanwhile finds the tie, or this is Stale.
        unchanged_step([note]),
        *steps,
        derive_step([tie], maker=CLASHED, now=now),
        open_step(user, [pair], ConflictVerdict.AMBIGUOUS, now),
        events_step(access, [event]),
    )
    context.signal(user)
    return other.id, opened[0]["id"]


def _is_wider(note: Note, was: Note) -> bool:
    """Return True if a note may have readers who could not read it as it was.

    A user who gives a note other readers in a file gives them the text of the file, not another one
    that an agent has written meanwhile.
    """
    if note.audience == was.audience or note.visibility is Visibility.USER_ONLY:
        return False
    return note.domain != was.domain or (
        derive_audience(note.audience, was.audience) != note.audience
    )


async def settle_clashes(
    context: Context, access: Access, root: Path, beside: Mapping[PurePosixPath, tuple[str, str]]
) -> tuple[list[str], set[PurePosixPath]]:
    """Close the conflicts whose text next to the file was deleted: the file's text stays.

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
