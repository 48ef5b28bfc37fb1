"""Measures how long `graphmem sync` takes, and how soon `--watch` carries a change over.

    python -m bench.syncing FOLDER [--notes 5000] [--code ../before,.] [--rounds 3]

The folder is empty, or has what an earlier run left in it: a store with that many notes of one user
(`hash`, made-up words), and a synced folder for each checkout of `--code`. The store is open, as
beside a service, and each checkout's own command runs against it; they take turns. Reported for
each, in seconds, the median of the rounds: the command that only tells its options (`start`), which
is what Python and the program cost before anything is read; where nothing changed (`idle`), whose
own part is what it takes above that; after one file was edited (`file`); after one note was changed
in the graph (`graph`). Then the same checkout watches its folder: from the edit of a file until the
note has that text (`watch_file`), and from the change of a note until its file has it
(`watch_graph`)."""

import argparse
import asyncio
import json
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from bench.filling import Words, notes_of, settings_of
from bench.speed import environment_of, machine_ms
from graphmem.ai.hash_embedder import HashEmbedder
from graphmem.app import connect_context, open_server
from graphmem.domain.notes import Note, NoteFilter, WriteMode
from graphmem.services.actors import open_access
from graphmem.services.context import Context, utc_now
from graphmem.services.reading.notes import list_notes, load_many
from graphmem.services.writing.changing import Edit, revise
from graphmem.services.writing.remember import remember_many

USER = "me"
BATCH = 500
DAYS = 250  # of which the notes tell
PATIENCE_S = 600.0


async def fill(context: Context, total: int) -> None:
    """Write so many notes, unless there are some."""
    access = await open_access(context, USER, None, register=True)
    if (await list_notes(context, access, NoteFilter(), first=1, after=None)).notes:
        return
    days = [utc_now() - timedelta(days=day) for day in range(DAYS)]
    drafts = [
        replace(draft, occurred_at=days[place % DAYS])
        for place, draft in enumerate(notes_of(Words(7), 0, total))
    ]
    for start in range(0, total, BATCH):
        batch = [(draft, WriteMode.VERBATIM) for draft in drafts[start : start + BATCH]]
        await remember_many(context, access, batch)


class Folder:
    """A synced folder of one checkout."""

    def __init__(self, context: Context, data: Path, code: Path, place: Path) -> None:
        """`data`: the store; `place`: the folder."""
        self._context, self._data, self._code, self.place = context, data, code.resolve(), place
        self._count = 0

    def _command(self, *options: str) -> list[str]:
        command = [sys.executable, "-m", "graphmem", "sync", str(self.place), "--user", USER]
        return [*command, "--data", str(self._data), *options]

    @property
    def _environment(self) -> dict[str, str]:
        plain = {"GRAPHMEM_EMBEDDER": "hash", "GRAPHMEM_EXTRACTOR": "rules"}
        return {**environment_of(self._code), **plain}

    async def sync(self, *options: str) -> float:
        """Sync once; the seconds that it took."""
        began = time.perf_counter()
        await asyncio.to_thread(
            subprocess.run,
            self._command(*options),
            env=self._environment,
            cwd=self._code,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return time.perf_counter() - began

    async def change_note(self) -> Callable[[], Awaitable[bool]]:
        """Change a note in the graph; return what tells if its file has that."""
        note, path = await self._next()
        text = f"{note.content} Told {time.time_ns()}."
        access = await open_access(self._context, USER, None)
        await revise(self._context, access, note.id, Edit(content=text))

        async def arrived() -> bool:
            return text in path.read_text()

        return arrived

    async def edit_file(self) -> Callable[[], Awaitable[bool]]:
        """Edit a file; return what tells if its note has that."""
        note, path = await self._next()
        text = f"{note.content} Edited {time.time_ns()}."
        path.write_text(path.read_text().replace(note.content, text))

        async def arrived() -> bool:
            access = await open_access(self._context, USER, None)
            now = await load_many(self._context, access, [note.id])
            return now[note.id].content == text

        return arrived

    async def _next(self) -> tuple[Note, Path]:
        """A note, another one each time, and its file."""
        index = json.loads((self.place / ".graphmem" / "index.json").read_text())["files"]
        paths = {i: path for path, kept in index.items() for i in kept["notes"]}
        access = await open_access(self._context, USER, None)
        page = await list_notes(self._context, access, NoteFilter(), first=200, after=None)
        self._count += 1
        note = page.notes[self._count]
        return note, self.place / paths[note.id]

    async def watch(self, rounds: int) -> dict[str, list[float]]:
        """Watch the folder and change both sides; the seconds until the other one follows."""
        watching = await asyncio.create_subprocess_exec(
            *self._command("--watch"),
            env=self._environment,
            cwd=self._code,
            stdout=asyncio.subprocess.DEVNULL,
        )
        found: dict[str, list[float]] = {"watch_file": [], "watch_graph": []}
        try:
            await _took(await self.change_note())  # from here on it watches
            for _ in range(rounds):
                for name, change in (
                    ("watch_file", self.edit_file),
                    ("watch_graph", self.change_note),
                ):
                    await asyncio.sleep(4)  # what it did last is told
                    found[name].append(await _took(await change()))
        finally:
            watching.send_signal(signal.SIGINT)
            await watching.wait()
        return found


async def _took(arrived: Callable[[], Awaitable[bool]]) -> float:
    began = time.perf_counter()
    while not await arrived():
        if time.perf_counter() - began > PATIENCE_S:
            raise TimeoutError
        await asyncio.sleep(0.02)
    return time.perf_counter() - began


async def measure(folders: Sequence[Folder], rounds: int) -> list[dict[str, float]]:
    """The figures of each folder; they take turns."""
    found: list[dict[str, list[float]]] = [
        {"first": [], "start": [], "idle": [], "file": [], "graph": []} for _ in folders
    ]
    for each, folder in zip(found, folders, strict=True):
        each["first"].append(await folder.sync())
    for _ in range(rounds):
        for each, folder in zip(found, folders, strict=True):
            await folder.sync()  # what the others changed
            await folder.sync()
            each["start"].append(await folder.sync("--help"))
            each["idle"].append(await folder.sync())
            await folder.edit_file()
            each["file"].append(await folder.sync())
            await folder.change_note()
            each["graph"].append(await folder.sync())
    for each, folder in zip(found, folders, strict=True):
        each |= await folder.watch(rounds)
    return [
        {name: round(statistics.median(times), 2) for name, times in each.items()} for each in found
    ]


async def run(folder: Path, total: int, codes: Sequence[Path], rounds: int) -> None:
    """Fill the store and measure each checkout."""
    settings = settings_of(folder / "store", total)
    embedder = HashEmbedder()
    async with (
        open_server(settings) as address,
        connect_context(settings, embedder, address, patience_s=60) as context,
    ):
        await fill(context, total)
        places = [folder / f"folder-{number}" for number in range(len(codes))]
        folders = [
            Folder(context, folder / "store", code, place)
            for code, place in zip(codes, places, strict=True)
        ]
        found = await measure(folders, rounds)
    for code, each in zip(codes, found, strict=True):
        print(json.dumps({"code": str(code), "notes": total, **each}))


def main() -> None:
    """Parse the command line, measure and print, one JSON line a checkout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--code", default=".", help="folders, divided by commas")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(json.dumps({"machine_ms": round(machine_ms(), 1)}))
    codes = [Path(code) for code in given.code.split(",")]
    asyncio.run(run(given.folder.resolve(), given.notes, codes, given.rounds))


if __name__ == "__main__":
    main()
