"""Reads both sides of a sync: the notes that count, and the files that changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from graphmem.domain.notes import Note
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import MAX_IDS, load_many
from graphmem.services.syncing.days import parse_day
from graphmem.services.syncing.entries import Entry, Form, form_of
from graphmem.services.syncing.files import parse_file
from graphmem.services.syncing.folder import Found, Stamp, read_file
from graphmem.services.syncing.resting import changed_files, find_all, is_complete, made_files
from graphmem.services.syncing.state import State
from graphmem.store.notes import LIVE_STATUSES, list_stamps

STAMPS_AT_ONCE: Final = 5_000


@dataclass
class Sheet:
    """A file that changed since the last sync: its text, and what it says of notes."""

    path: PurePosixPath
    text: str
    digest: str
    stamp: Stamp
    entries: list[Entry]


@dataclass
class Files:
    """The files of a folder, and those of them that changed."""

    found: Found
    sheets: dict[PurePosixPath, Sheet] = field(default_factory=dict)
    edited: dict[PurePosixPath, str] = field(default_factory=dict)  # pages made of the graph
    touched: bool = False  # of some the time alone changed


class KnownNotes:
    """The notes that a process read for its last sync of a folder, so that the next one reads only
    those that changed since.

    Which notes a viewer may read, and which of them changed, is asked of the graph each time: no
    event tells who lost a note."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._notes: dict[str, tuple[tuple[object, ...], Note]] = {}

    async def read(self, context: Context, access: Access) -> dict[str, Note]:
        """Return all notes that count and that the viewer may read, by their ids."""
        stamps = await _read_stamps(context, access)
        known = self._notes
        changed = [i for i, stamp in stamps.items() if i not in known or known[i][0] != stamp]
        fresh = await load_away(context, access, changed, {})
        self._notes = {
            i: (stamp, fresh[i]) if i in fresh else known[i]
            for i, stamp in stamps.items()
            if i in fresh or (i in known and known[i][0] == stamp)
        }
        return {i: note for i, (_, note) in self._notes.items() if note.status in LIVE_STATUSES}


async def _read_stamps(context: Context, access: Access) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    before: tuple[datetime, str] | None = None
    while True:
        page = await list_stamps(
            context.graph,
            access.by_name,
            now=context.clock(),
            before=before,
            limit=STAMPS_AT_ONCE,
        )
        found |= {each.id: each.stamp for each in page}
        if len(page) < STAMPS_AT_ONCE:
            return found
        before = page[-1].created_at, page[-1].id


def is_unchanged(root: Path, state: State, files: Files) -> bool:
    """Check if the files are those of the last sync."""
    return not files.sheets and not files.edited and is_complete(root, state, files.found)


async def load_away(
    context: Context, access: Access, ids: Iterable[str], notes: Mapping[str, Note]
) -> dict[str, Note]:
    """Load the notes of these ids that the viewer may read and that no longer count."""
    wanted = sorted(set(ids) - notes.keys())
    found: dict[str, Note] = {}
    for start in range(0, len(wanted), MAX_IDS):
        found |= await load_many(context, access, wanted[start : start + MAX_IDS])
    return found


def read_files(
    root: Path, state: State, pages: Sequence[PurePosixPath], now: datetime, yes: bool
) -> Files:
    """Find the files of a folder, and read those that changed since the last sync.

    `pages`: those that are made of the graph, which are no notes. Raises Invalid for a folder that
    is empty now, unless `yes`."""
    files = Files(find_all(root, state, pages))
    reserved = {*pages, *made_files(state)}
    for path, stamp in changed_files(files.found, state):
        _read_changed(root, path, stamp, state, files, made=path in reserved, now=now)
    there = files.found.files.keys() - reserved or files.found.skipped
    if any(not kept.made for kept in state.files.values()) and not there and not yes:
        raise Invalid("the folder is empty now: is it mounted? --yes takes all for deleted")
    return files


def _read_changed(
    root: Path,
    path: PurePosixPath,
    stamp: Stamp,
    state: State,
    files: Files,
    *,
    made: bool,
    now: datetime,
) -> None:
    kept = state.files.get(path)
    try:
        text, digest = read_file(root, path)
        if kept is not None and kept.digest == digest:
            kept.size, kept.changed = stamp.size, stamp.changed
            files.touched = True
        elif made:
            files.edited[path] = text
        else:
            entries = parse_entries(path, text, now)
            files.sheets[path] = Sheet(path, text, digest, stamp, entries)
    except Invalid as error:
        del files.found.files[path]
        files.found.skipped[path] = error.message


def parse_entries(path: PurePosixPath, text: str, now: datetime) -> list[Entry]:
    """Parse what a file says of notes. Raises Invalid."""
    try:
        if form_of(path) in (Form.DAY, Form.LOG):
            return parse_day(path, text, now)
        return [parse_file(path, text, now)]
    except Invalid:
        raise
    except Exception as exc:  # one odd file ends the sync of no other
        raise Invalid(f"can't be read as a note ({type(exc).__name__})") from exc
