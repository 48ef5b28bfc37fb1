"""Lays the notes out in files: decides which file each belongs to, and what to write there."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from graphmem.domain.notes import Note
from graphmem.errors import Invalid
from graphmem.services.syncing.days import fits_day, is_left, patch_day, render_day
from graphmem.services.syncing.entries import Entry, Form, form_of
from graphmem.services.syncing.files import patch_file, render_file, stamp_file
from graphmem.services.syncing.folder import Stamp, folded, most_bytes, read_file, stamp_of
from graphmem.services.syncing.foot import FootWriter
from graphmem.services.syncing.homes import OWN, home_of, is_top_file, path_of
from graphmem.services.syncing.reading import Files, parse_entries
from graphmem.services.syncing.state import Kept, State

DAYS = (Form.DAY, Form.LOG)


@dataclass(frozen=True, kw_only=True)
class Write:
    """A file that is to be written or removed (`text` is None), with the notes that it holds.

    `over`: the stamp of the file that is there; `same`: it has that text already."""

    path: PurePosixPath
    text: str | None
    over: Stamp | None
    notes: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    same: bool = False
    made: bool = False


class Layout:
    """The layout of one sync.

    `placed`: the file of each note that a file holds; `made`: the notes that entries became;
    `failed`: files of which something could not be carried into the graph."""

    def __init__(
        self,
        root: Path,
        state: State,
        files: Files,
        notes: Mapping[str, Note],
        *,
        placed: Mapping[str, PurePosixPath],
        made: Mapping[tuple[PurePosixPath, int], str],
        failed: Mapping[PurePosixPath, str],
        reserved: Sequence[PurePosixPath],
        t0_files: Sequence[str],
        now: datetime,
        score: Callable[[Note], float],
    ) -> None:
        """Take both sides as they are now; `score`: the decay score of a note."""
        self._root, self._state, self._files, self._notes = root, state, files, notes
        self._made, self._failed, self._now = made, failed, now
        self._writer = FootWriter(score)
        self._placed = {**placed, **{note: path for (path, _), note in made.items()}}
        self._t0_files = t0_files
        self._known = state.place_of()
        self._reserved = set(reserved)
        self._taken = {folded(path) for path in (*files.found.files, *files.found.skipped)}
        self._taken |= {folded(path) for path in reserved}
        self.skipped: list[tuple[PurePosixPath, str]] = []
        self.paths: dict[str, str] = {}  # of the file of each note, once it is laid out

    def leave_out(self, ids: Set[str]) -> None:
        """Lay out as if these notes were archived."""
        self._notes = {i: note for i, note in self._notes.items() if i not in ids}

    def run(self) -> list[Write]:
        """Return what is to be written, new files first and removals last."""
        wanted = self._place_all()
        kept = [path for path, each in self._state.files.items() if not each.made]
        paths = dict.fromkeys([*wanted, *kept, *self._files.sheets])
        writes: list[Write] = []
        for path in paths:
            try:
                found = self._lay(path, wanted.get(path, {}))
            except Invalid as error:
                self.skipped.append((path, error.message))
            else:
                writes += [found] if found else []
        return sorted(writes, key=lambda write: (write.text is None, str(write.path)))

    def _place_all(self) -> dict[PurePosixPath, dict[str, str]]:
        """Return for each file its notes, and the home of each."""
        wanted: dict[PurePosixPath, dict[str, str]] = defaultdict(dict)
        later: list[tuple[Note, str]] = []
        for note in self._notes.values():
            path, was = self._placed.get(note.id), self._home_before(note)
            if was == OWN and path is not None and path == self._known[note.id]:
                wanted[path][note.id] = OWN
                continue
            home = home_of(note, self._t0_files, was)
            stays = None if path is None else self._stays(note, path, home, same=was is not None)
            if path is None or stays is None:
                later.append((note, home))
            else:
                wanted[path][note.id] = stays
        for note, home in sorted(later, key=lambda each: each[0].id):
            path = path_of(note, home, lambda p: folded(p) not in self._taken)
            if form_of(path) not in DAYS and folded(path) in self._taken:
                self.skipped.append((path, "another file has its place"))
                continue
            self._taken.add(folded(path))
            wanted[path][note.id] = home
        self.paths = {note: str(path) for path, each in wanted.items() for note in each}
        self._writer = replace(self._writer, logs=wanted.keys())
        return wanted

    def _home_before(self, note: Note) -> str | None:
        """Return the home of a note after the last sync, if it has not changed since."""
        if (old := self._known.get(note.id)) is None:
            return None
        version, home = self._state.files[old].notes[note.id]
        return home if version == note.version else None

    def _stays(self, note: Note, path: PurePosixPath, home: str, *, same: bool) -> str | None:
        """Return the home of a note that stays where it is; None if it moves.

        `same`: it has not changed since the last sync."""
        old = self._known.get(note.id)
        was = self._state.files[path].notes[note.id][1] if old == path else None
        if path in self._files.found.skipped or path in self._failed:
            return was or OWN
        fits = same and path == old
        if not fits and form_of(path) in DAYS and not fits_day(path, note):
            return None
        if was is None:
            return home if str(path) == home else OWN
        return was if was in (OWN, home) else None

    def _lay(self, path: PurePosixPath, homes: Mapping[str, str]) -> Write | None:
        kept, sheet = self._state.files.get(path), self._files.sheets.get(path)
        there = path in self._files.found.files
        if path in self._files.found.skipped:
            for note_id in homes.keys() - (kept.notes.keys() if kept else set()):
                self.skipped.append((path, f"no place for note {note_id}: the file is left alone"))
            return None
        if path in self._failed and kept is not None and sheet is not None:
            return None  # what could not be carried stays in the file
        notes = {i: (self._notes[i].version, home) for i, home in homes.items()}
        if kept is not None and there and sheet is None and kept.notes == notes:
            return None
        if kept is None and not notes:
            return None
        if not there and not notes:
            return Write(path=path, text=None, over=None)
        over = stamp_of(self._root / path) if there else None
        text, entries = self._read(path) if there else (None, [])
        if sheet is not None and over != sheet.stamp:
            raise Invalid("it changed meanwhile; the next sync reads it")
        new = self._text_of(path, text, entries, {i: self._notes[i] for i in homes})
        same = new == text
        return Write(path=path, text=new, over=over, notes=notes, same=same)

    def _read(self, path: PurePosixPath) -> tuple[str, list[Entry]]:
        if sheet := self._files.sheets.get(path):
            return sheet.text, sheet.entries
        text = read_file(self._root, path)[0]
        return text, parse_entries(path, text, self._now)

    def _text_of(
        self,
        path: PurePosixPath,
        text: str | None,
        entries: Sequence[Entry],
        notes: Mapping[str, Note],
    ) -> str | None:
        """Return the text of a file with these notes; None if it goes."""
        if form_of(path) in DAYS:
            return self._day_of(path, text, entries, notes)
        if not notes:
            return None
        note = next(iter(notes.values()))
        bare = is_top_file(path, self._t0_files)
        if text is None:
            return render_file(path, note, self._writer, bare=bare)
        if not bare and (path, 0) in self._made:
            text = stamp_file(path, text, note, self._now)
        return patch_file(path, text, note, self._now, self._writer)

    def _day_of(
        self,
        path: PurePosixPath,
        text: str | None,
        entries: Sequence[Entry],
        notes: Mapping[str, Note],
    ) -> str | None:
        if text is None:
            return _bounded(path, render_day(path, list(notes.values())))
        made = {
            place: notes[note_id]
            for (at, place), note_id in self._made.items()
            if at == path and note_id in notes
        }
        new = patch_day(path, text, entries, notes, made)
        waits = any(entry.id is None and i not in made for i, entry in enumerate(entries))
        return _bounded(path, new) if notes or waits or is_left(path, new) else None


def _bounded(path: PurePosixPath, text: str) -> str:
    """Return a text that can be read again. Raises Invalid."""
    if len(text.encode()) > most_bytes(path):
        raise Invalid(f"the notes of that day take more than {most_bytes(path)} bytes")
    return text


def kept_as(write: Write, digest: str, stamp: Stamp) -> Kept:
    """Return what is remembered of a file that was written."""
    return Kept(digest, stamp.size, stamp.changed, dict(write.notes), write.made)
