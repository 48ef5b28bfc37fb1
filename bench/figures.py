"""Reports figures beside those of the memory daemon's document, and one owner against many.

    python -m bench.figures [--sizes 100,10000] [--notes 10000] [--port 8396]

Filled and asked with the embedder `hash`, which the document calls mock, so that no figure is that
of a model. The first table has a column for each of `--sizes`: a new store with so many notes of
one owner, and `graphmem serve` on it without its jobs. Milliseconds are the median and the 95th
percentile, through GraphQL, with one client; bytes a note are those by which the store grew from an
empty one, with the vectors' index and without; megabytes of memory are those of the service and of
its Neo4j after that. The logs of transactions, which Neo4j ends by itself, are not counted.

The second table is of one store with `--notes` notes of one owner and as many of owners with 1,000
notes each: one and the others are asked in turn, so that what else the machine does meets both.
`--notes 0` leaves it out. Nothing is kept; run it on a machine that does nothing else."""

import argparse
import asyncio
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bench.filling import Words, settings_of, users_of, write_owner, write_users
from bench.processors import memory_mb
from bench.speed import FORGET, RECALL, REMEMBER, Asker, Sentences, machine_ms, serve, summary
from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server

EMBEDDER = "hash"
OWNER = "alone"
WARM_UP = 400  # of each operation, for Java to compile what it runs
ASKED = 200
QUIET_S = 3.0  # before memory and files are read
STATS = "query S { stats { totalNotes storageBytes } }"
DOCUMENT = {  # of a note; megabytes; milliseconds
    "remember": "50 - 100",
    "recall": "50 - 100 at 100, 200 - 500 at 10,000",
    "forget": "10 - 20",
    "health": "< 10",
    "bytes a note": "4,300",
    "memory, idle": "50",
    "memory": "200 at 10,000",
}


@dataclass(frozen=True, kw_only=True)
class Column:
    """What one store gave."""

    notes: int
    times: dict[str, dict[str, float]] = field(default_factory=dict)
    bytes_a_note: dict[str, float] = field(default_factory=dict)
    memory: tuple[float, float] = (0.0, 0.0)


async def fill(data: Path, alone: int, many: int) -> None:
    """Fill a store with notes of one owner, and with those of owners of 1,000 notes each."""
    settings = settings_of(data, alone + many).model_copy(update={"embedder": EMBEDDER})
    embedder = create_embedder(EMBEDDER)
    async with (
        open_server(settings) as address,
        connect_context(settings, embedder, address, patience_s=60) as context,
    ):
        if alone:
            await write_owner(context, embedder, OWNER, alone)
        if many:
            await write_users(context, embedder, many)


@contextmanager
def served(data: Path, port: int, total: int) -> Iterator[tuple[Asker, subprocess.Popen[bytes]]]:
    """The service on a store, for as long as this is open."""
    process, _ = serve(data, port, total, embedder=EMBEDDER)
    try:
        yield Asker(port), process
    finally:
        process.terminate()
        process.wait(300)


def sizes(data: Path) -> tuple[int, int]:
    """Bytes of the store, and of its index of vectors."""
    store = next(data.rglob("databases/neo4j"))
    files = [each for each in store.rglob("*") if each.is_file()]
    vectors = [each for each in files if any(p.startswith("vector-") for p in each.parts)]
    return sum(each.stat().st_size for each in files), sum(e.stat().st_size for e in vectors)


def operations(asker: Asker, users: Sequence[str], count: int) -> dict[str, list[float]]:
    """Milliseconds of each operation of users that take turns."""
    words, sentences = Words(count), Sentences()
    times: dict[str, list[float]] = {"recall": [], "remember": [], "forget": [], "health": []}
    for place in range(count):
        user = users[place % len(users)]
        question = {"query": words.sentence(8), "k": 10}
        times["recall"].append(asker.ask(user, RECALL, question))
        times["remember"].append(asker.ask(user, REMEMBER, {"content": sentences.draw()}))
        note = asker.data["remember"]["note"]["id"]
        times["forget"].append(asker.ask(user, FORGET, note))
        times["health"].append(asker.is_alive("/health"))
    return times


@pytest.mark.feature("DAEM-37", "DAEM-39")
def column(folder: Path, notes: int, port: int, counts: tuple[int, int], empty: Column) -> Column:
    """One store of one owner; `empty`: what a store without notes gave."""
    data = folder / str(notes)
    asyncio.run(fill(data, notes, 0))
    before = sizes(data)
    with served(data, port, notes) as (asker, process):
        if not notes:
            time.sleep(QUIET_S)
            store, vectors = before
            return Column(
                notes=0,
                bytes_a_note={"store": store, "vectors": vectors},
                memory=memory_mb(process.pid),
            )
        asker.ask(OWNER, STATS, {})
        told = asker.data["stats"]["storageBytes"] / asker.data["stats"]["totalNotes"]
        operations(asker, [OWNER], counts[0])
        times = operations(asker, [OWNER], counts[1])
        time.sleep(QUIET_S)
        memory = memory_mb(process.pid)
    store, vectors = before
    grown = {
        "all": (store - empty.bytes_a_note["store"]) / notes,
        "of that the index of vectors": (vectors - empty.bytes_a_note["vectors"]) / notes,
        "text and vector, as stats tell": told,
    }
    return Column(
        notes=notes,
        times={name: summary(each) for name, each in times.items()},
        bytes_a_note=grown,
        memory=memory,
    )


@pytest.mark.feature("DAEM-38", "MUMA-111")  # with --notes 10000, 100000, 1000000
def one_and_many(
    folder: Path, notes: int, port: int, counts: tuple[int, int]
) -> dict[str, tuple[dict[str, float], dict[str, float]]]:
    """Milliseconds of one owner with all notes, and of many with as many together."""
    data = folder / "both"
    asyncio.run(fill(data, notes, notes))
    others = [f"user{each}" for each in range(users_of(notes))]
    draw = random.Random(3)
    found: dict[str, tuple[list[float], list[float]]] = {}
    with served(data, port, 2 * notes) as (asker, _):
        for users in ([OWNER], others):
            operations(asker, users, counts[0])
        for _ in range(counts[1]):
            for place, user in enumerate((OWNER, draw.choice(others))):
                for name, times in operations(asker, [user], 1).items():
                    found.setdefault(name, ([], []))[place].extend(times)
    return {name: (summary(one), summary(many)) for name, (one, many) in found.items()}


def rows_of(columns: Sequence[Column], empty: Column) -> Iterator[tuple[str, ...]]:
    """The rows of the first table, the heading first."""
    yield ("", *(f"{each.notes:,} notes" for each in columns), "the document")
    for name in ("remember", "recall", "forget", "health"):
        shown = [f"{each.times[name]['p50']} / {each.times[name]['p95']}" for each in columns]
        yield (f"{name}, ms, p50 / p95", *shown, DOCUMENT[name])
    for name in columns[0].bytes_a_note:
        shown = [f"{each.bytes_a_note[name]:,.0f}" for each in columns]
        document = DOCUMENT["bytes a note"] if name == "all" else ""
        yield (f"bytes a note, {name}", *shown, document)
    for place, name in enumerate(("service", "Neo4j")):
        idle, document = f"{empty.memory[place]:.0f}", DOCUMENT["memory, idle"]
        first = document if not place else ""
        yield (f"memory of an empty store, MB, {name}", *[idle] * len(columns), first)
    for place, name in enumerate(("service", "Neo4j")):
        shown = [f"{each.memory[place]:.0f}" for each in columns]
        yield (f"memory, MB, {name}", *shown, DOCUMENT["memory"] if not place else "")


def ratios_of(
    notes: int, found: dict[str, tuple[dict[str, float], dict[str, float]]]
) -> Iterator[tuple[str, ...]]:
    """The rows of the second table, the heading first."""
    yield ("", f"one owner, {notes:,}", f"{users_of(notes):,} owners", "one / many")
    for name in ("recall", "remember", "forget"):
        one, many = found[name]
        for share in ("p50", "p95"):
            ratio = one[share] / many[share] if many[share] else float("nan")
            yield f"{name}, ms, {share}", str(one[share]), str(many[share]), f"{ratio:.2f}"


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns that are as wide as they must be."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip()
        for row in rows
    )


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100,10000", help="notes of one owner, with commas")
    parser.add_argument("--notes", type=int, default=10_000, help="of one owner and of many")
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="of each operation")
    parser.add_argument("--asked", type=int, default=ASKED, help="of each operation")
    parser.add_argument("--port", type=int, default=8396)
    given = parser.parse_args()
    counts = given.warm_up, given.asked
    print(f"machine {machine_ms()} ms", flush=True)
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        folder = Path(name)
        empty = column(folder, 0, given.port, counts, Column(notes=0))
        columns = [
            column(folder, int(size), given.port, counts, empty) for size in given.sizes.split(",")
        ]
        print(table(list(rows_of(columns, empty))), flush=True)
        if given.notes:
            found = one_and_many(folder, given.notes, given.port, counts)
            print("\n" + table(list(ratios_of(given.notes, found))), flush=True)
    print(f"machine {machine_ms()} ms")


if __name__ == "__main__":
    main()
