"""Writes the files of a folder, and keeps what they are like then."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from pathlib import Path, PurePosixPath

from graphmem.errors import Invalid
from graphmem.services.syncing.clashing import Clash
from graphmem.services.syncing.files import render_file
from graphmem.services.syncing.folder import (
    Stamp,
    digest_of,
    make_folder,
    naming,
    remove_file,
    stamp_of,
    write_file,
)
from graphmem.services.syncing.homes import FOLDERS
from graphmem.services.syncing.ignoring import CONFLICT
from graphmem.services.syncing.laying import Write, kept_as
from graphmem.services.syncing.outcome import Synced
from graphmem.services.syncing.pages import Page
from graphmem.services.syncing.state import State, drop_base, save_base, save_plan, save_state


def pages_to_write(
    root: Path,
    state: State,
    pages: Sequence[Page],
    refused: Set[PurePosixPath],
    read: Mapping[PurePosixPath, Stamp],
) -> list[Write]:
    """Return which pages made of the graph are to be written, or taken away.

    `refused`: edited ones that mean nothing, which stay as they are; `read`: the stamps of files
    when they were read, so that what a person has written since is not lost."""
    writes: list[Write] = []
    for page in pages:
        if page.path in refused:
            continue
        kept, seen = state.files.get(page.path), stamp_of(root / page.path)
        digest = digest_of(page.text.encode())
        if kept is None or kept.digest != digest or kept.stamp != seen:
            over = read.get(page.path, seen)
            writes.append(Write(path=page.path, text=page.text, over=over, made=True))
    there = {page.path for page in pages}
    for path, kept in state.files.items():
        if kept.made and path not in there and path not in refused:
            over = read.get(path, stamp_of(root / path))
            writes.append(Write(path=path, text=None, over=over, made=True))
    return writes


class Writer:
    """Writes what one sync has found out."""

    def __init__(self, root: Path, state: State, done: Synced, now: datetime) -> None:
        """Take what the folder was like, which is changed, and the outcome, which is told."""
        self._root, self._state, self._done, self._now = root, state, done, now

    def run(
        self,
        writes: Sequence[Write],
        clashes: Sequence[Clash],
        readable: Set[str],
        closed: Set[PurePosixPath],
    ) -> None:
        """Write all files. What is broken off is found out by the plan, which is written before.

        `clashes`: files next to which the graph's text is to be put; `readable`: the notes that the
        viewer may read; `closed`: texts next to files that were decided upon."""
        state = self._state
        if not state.files:
            for name in FOLDERS:
                try:
                    make_folder(self._root, PurePosixPath(name))
                except Invalid as error:
                    self._done.skipped.append(f"{name}: {error.message}")
        for clash in clashes:
            self._put_beside(clash)
        self._clear_beside(readable, closed)
        if writes or clashes:
            self._write_planned(writes)
        if self._done.skipped:
            state.seen = None  # the next sync looks at all again
        save_state(self._root, state)

    def _write_planned(self, writes: Sequence[Write]) -> None:
        planned = State({**self._state.files}, self._state.beside, self._state.clashes)
        for write in writes:
            planned.files.pop(write.path, None)
            if write.text is not None:
                digest = digest_of(write.text.encode())
                planned.files[write.path] = kept_as(write, digest, Stamp(0, 0))
        save_plan(self._root, planned)
        for write in writes:
            try:
                self._write(write)
            except Invalid as error:
                self._done.skipped.append(f"{write.path}: {error.message}")

    def _write(self, write: Write) -> None:
        root, path, done, state = self._root, write.path, self._done, self._state
        if write.text is None:
            if write.over is not None:
                remove_file(root, path, over=write.over)
                (done.pages if write.made else done.removed).append(str(path))
            state.files.pop(path, None)
            drop_base(root, path)
            return
        seen = write.over
        if not write.same:
            seen = write_file(root, path, write.text, over=write.over)
            into = done.changed if write.over is not None else done.added
            (done.pages if write.made else into).append(str(path))
        if seen is not None:
            save_base(root, path, write.text)
            state.files[path] = kept_as(write, digest_of(write.text.encode()), seen)

    def _clear_beside(self, readable: Set[str], closed: Set[PurePosixPath]) -> None:
        state = self._state
        for path, note_id in list(state.beside.items()):
            over = path in closed or note_id not in readable
            if over and (seen := stamp_of(self._root / path)) is not None:
                with naming(path):
                    remove_file(self._root, path, over=seen)
            if stamp_of(self._root / path) is None:
                del state.beside[path]
                state.clashes.pop(path, None)

    def _put_beside(self, clash: Clash) -> None:
        """Write the graph's text of a note next to the file whose text it clashed with."""
        at, path = f"{self._now:%Y%m%d-%H%M%S}", clash.path
        name = f"{path.stem}{CONFLICT}{at}"
        for number in range(1_000):
            target = path.with_name(f"{name}{f'-{number}' if number else ''}.md")
            if stamp_of(self._root / target) is None:
                with naming(target):
                    write_file(self._root, target, render_file(target, clash.note), over=None)
                self._state.beside[target] = clash.other or clash.note.id
                if clash.conflict is not None:
                    self._state.clashes[target] = clash.conflict
                self._done.conflicts.append(f"{path}: the other text is in {target.name}")
                self._done.conflicts.remove(str(path))
                return
