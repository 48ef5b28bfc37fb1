"""Compares the files with the last sync and with the graph: what a person changed by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from graphmem.domain.notes import Note, NoteDraft, Status
from graphmem.errors import Invalid
from graphmem.services.syncing.days import shown_in
from graphmem.services.syncing.entries import Edit, Entry, edits_of, is_same_text
from graphmem.services.syncing.reading import Files, Sheet, parse_entries
from graphmem.services.syncing.state import State, base_of


@dataclass(frozen=True, kw_only=True)
class Change:
    """A note that was edited in its file; `restore`: it was archived in the graph since."""

    path: PurePosixPath
    note: Note
    edit: Edit
    restore: bool = False


@dataclass(frozen=True)
class New:
    """An entry of a file that no note is known for, by its place among those of the file."""

    path: PurePosixPath
    place: int
    draft: NoteDraft


@dataclass
class Wishes:
    """The changes that the files ask of the graph."""

    placed: dict[str, PurePosixPath] = field(default_factory=dict)  # the file of each note now
    changes: list[Change] = field(default_factory=list)
    new: list[New] = field(default_factory=list)
    gone: list[Note] = field(default_factory=list)  # deleted by hand
    back: list[Note] = field(default_factory=list)  # deleted by hand, but changed in the graph
    renamed: list[tuple[PurePosixPath, PurePosixPath]] = field(default_factory=list)
    skipped: list[tuple[PurePosixPath, str]] = field(default_factory=list)


class Comparison:
    """One comparison of the two sides; `away`: notes that are archived."""

    def __init__(
        self,
        root: Path,
        state: State,
        files: Files,
        notes: Mapping[str, Note],
        away: Mapping[str, Note],
        now: datetime,
    ) -> None:
        """Take what both sides are like; nothing is read but texts of the last sync."""
        self._root, self._state, self._files = root, state, files
        self._notes, self._away, self._now = notes, away, now
        self._known = state.place_of()
        self._bases: dict[PurePosixPath, dict[str | None, Entry]] = {}
        self._wishes = Wishes()

    def run(self) -> Wishes:
        """Return what the files ask of the graph."""
        self._identify()
        for sheet in self._files.sheets.values():
            for place, entry in enumerate(sheet.entries):
                self._compare(sheet, place, entry)
        self._find_deleted()
        return self._wishes

    def _identify(self) -> None:
        """Find the note of each entry. Of two copies that at the known place is the note's."""
        placed, sheets = self._wishes.placed, self._files.sheets
        for path, kept in self._state.files.items():
            if path in self._files.found.skipped or (
                path in self._files.found.files and path not in sheets
            ):
                placed |= dict.fromkeys(kept.notes, path)
        for sheet in sheets.values():
            self._name_file(sheet)
        for at_home in (True, False):
            for path in sorted(sheets):
                self._claim(sheets[path], at_home=at_home)

    def _name_file(self, sheet: Sheet) -> None:
        """Find the note of a file without an id by its path, or by its text where it was moved."""
        kept = self._state.files.get(sheet.path)
        if kept is None:
            moved = (
                (path, each)
                for path, each in self._state.files.items()
                if each.digest == sheet.digest and path not in self._files.found.files
            )
            path, kept = next(moved, (None, None))
            if path is None or kept is None or path in self._files.found.skipped:
                return
        one = sheet.entries[0] if len(sheet.entries) == 1 else None
        if one is not None and one.id is None and one.end == 0 and len(kept.notes) == 1:
            sheet.entries[0] = replace(one, id=next(iter(kept.notes)))

    def _claim(self, sheet: Sheet, *, at_home: bool) -> None:
        placed = self._wishes.placed
        for place, entry in enumerate(sheet.entries):
            if entry.id is None or (self._known.get(entry.id) == sheet.path) is not at_home:
                continue
            stranger = not (
                entry.id in self._notes or entry.id in self._away or entry.id in self._known
            )
            if stranger or (entry.id in placed):
                sheet.entries[place] = replace(entry, id=None, version=None)
                continue
            placed[entry.id] = sheet.path
            old = self._known.get(entry.id)
            if old is not None and old != sheet.path and old not in self._files.found.files:
                self._wishes.renamed.append((old, sheet.path))

    def _compare(self, sheet: Sheet, place: int, entry: Entry) -> None:
        if entry.id is None:
            self._wishes.new.append(New(sheet.path, place, entry.draft))
            return
        note = self._notes.get(entry.id)
        base = self._base_of(entry.id)
        if note is not None:
            edit = _edit_of(sheet.path, entry, base, note)
            if edit.fields or edit.ignored:
                self._wishes.changes.append(Change(path=sheet.path, note=note, edit=edit))
            return
        old = self._away.get(entry.id)
        edited = base is not None and not is_same_text(base.draft.content, entry.draft.content)
        if old is None:
            if edited:
                reason = "its note is gone for good, or not for this viewer any more"
                self._wishes.skipped.append((sheet.path, reason))
        elif edited and base is not None and old.status is Status.ARCHIVED:
            edit = edits_of(base.draft, entry.draft, shown_in(sheet.path, old))
            change = Change(path=sheet.path, note=old, edit=edit, restore=True)
            self._wishes.changes.append(change)
        elif base is None:
            reason = "its note was put away; restore it first"
            self._wishes.skipped.append((sheet.path, reason))

    def _base_of(self, note_id: str) -> Entry | None:
        """Return what the last sync left of a note in its file."""
        path = self._known.get(note_id)
        if path is None:
            return None
        if path not in self._bases:
            self._bases[path] = self._read_base(path)
        found = self._bases[path]
        alone = len(self._state.files[path].notes) == 1 and len(found) == 1
        return found.get(note_id) or (found.get(None) if alone else None)

    def _read_base(self, path: PurePosixPath) -> dict[str | None, Entry]:
        text = base_of(self._root, path)
        try:
            entries = [] if text is None else parse_entries(path, text, self._now)
        except Invalid:
            return {}
        return {entry.id: entry for entry in entries}

    def _find_deleted(self) -> None:
        wishes = self._wishes
        for note_id, path in self._known.items():
            note = self._notes.get(note_id)
            if note_id in wishes.placed or note is None:
                continue
            version, _ = self._state.files[path].notes[note_id]
            (wishes.gone if note.version == version else wishes.back).append(note)


def _edit_of(path: PurePosixPath, entry: Entry, base: Entry | None, note: Note) -> Edit:
    """Return what was edited; without a base, what differs from the version that was written."""
    there = shown_in(path, note)
    if base is not None:
        return edits_of(base.draft, entry.draft, there)
    if entry.version == note.version:
        return edits_of(there, entry.draft, there)
    if is_same_text(entry.draft.content, there.content):
        return Edit()
    return Edit({"content": entry.draft.content}, clash=True)


def first_lines(notes: Sequence[Note], most: int) -> list[str]:
    """Return the titles or first words of notes, to name them to their owner."""
    return [(note.title or note.content).strip().split("\n")[0][:60] for note in notes[:most]]
