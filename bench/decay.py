"""How long the hourly sweep of decay takes, and how long a writer waits for it meanwhile.

    python -m bench.decay FOLDER [--notes 101000] [--usual | --shares 1,0.1,0]

The folder is filled first if it is empty. One sweep looks a month later, when many notes have
another status; the next one looks an hour after that, when hardly any has: the usual one. With
`--usual` the sweeps look at the first hours after the notes were written alone. With `--shares`,
all look at the same hour, and before each one this share of the notes gets a status that does not
fit; nobody writes meanwhile.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from neo4j import AsyncGraphDatabase

from bench.filling import Vectors, fill, settings_of
from graphmem.app import connect_context, open_server
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import run_job
from graphmem.store.graph import Graph
from graphmem.store.meta import notes_after
from graphmem.store.notes import reinforce_step

UNFITTING = """MATCH (n:Note) WHERE rand() < $share
CALL (n) { SET n.status = 'ACTIVE' } IN TRANSACTIONS OF 1000 ROWS"""
AHEAD = (timedelta(days=30), timedelta(days=30, hours=1), timedelta(days=30, hours=2))
USUAL = (timedelta(hours=1), timedelta(hours=2), timedelta(hours=3))


async def measure(folder: Path, notes: int, aheads: Sequence[timedelta]) -> None:
    """Print a line for each sweep."""
    if not await asyncio.to_thread(lambda: any(folder.iterdir())):
        print(f"filled at {await fill(folder, notes):,.0f} notes/s")
    async with (
        open_server(settings_of(folder, notes)) as address,
        connect_context(settings_of(folder, notes), Vectors(), address, patience_s=60) as context,
    ):
        some = [note.id for note in await notes_after(context.graph, "", 500)]
        for ahead in aheads:
            await _sweep(context, ahead, some)


async def measure_shares(folder: Path, notes: int, shares: Sequence[float]) -> None:
    """Print a line for each sweep of which a share of the notes changes."""
    if not await asyncio.to_thread(lambda: any(folder.iterdir())):
        print(f"filled at {await fill(folder, notes):,.0f} notes/s")
    async with (
        open_server(settings_of(folder, notes)) as address,
        connect_context(settings_of(folder, notes), Vectors(), address, patience_s=60) as context,
        AsyncGraphDatabase.driver(
            address.bolt_uri, auth=(address.user, address.password)
        ) as driver,
        driver.session() as session,
    ):
        later = replace(context, clock=lambda: context.clock() + AHEAD[0])
        for share in shares:
            await (await session.run(UNFITTING, share=share)).consume()
            began = time.perf_counter()
            run = await run_job(later, "sweep_decay")
            took = time.perf_counter() - began
            print(f"{run.counts['notes']:,} notes, {run.counts['changed']:,} changed: {took:.2f} s")


async def _sweep(context: Context, ahead: timedelta, some: Sequence[str]) -> None:
    later = replace(context, clock=lambda: context.clock() + ahead)
    alone, ended = await _writes(context.graph, some, 200), asyncio.Event()
    beside = asyncio.create_task(_until(context.graph, some, ended))
    began = time.perf_counter()
    run = await run_job(later, "sweep_decay")
    took = time.perf_counter() - began
    ended.set()
    waits = await beside
    print(
        f"{ahead}: {run.counts['notes']:,} notes, {run.counts['changed']:,} changed: {took:.2f} s;"
        f" a write alone p50 {_ms(statistics.median(alone))}, most {_ms(max(alone))}; beside it"
        f" p50 {_ms(statistics.median(waits))}, p99 {_ms(_p99(waits))}, most {_ms(max(waits))}"
    )


async def _writes(graph: Graph, some: Sequence[str], count: int) -> list[float]:
    """Seconds of each of some writes that lock one note."""
    waits = []
    for _ in range(count):
        began = time.perf_counter()
        await graph.write(reinforce_step({random.choice(some): ()}, 1.0))
        waits.append(time.perf_counter() - began)
    return waits


async def _until(graph: Graph, some: Sequence[str], ended: asyncio.Event) -> list[float]:
    waits: list[float] = []
    while not ended.is_set():
        waits += await _writes(graph, some, 5)
    return waits


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=101_000)
    parser.add_argument("--usual", action="store_true")
    parser.add_argument("--shares", type=lambda text: [float(each) for each in text.split(",")])
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.shares:
        asyncio.run(measure_shares(given.folder, given.notes, given.shares))
        return
    asyncio.run(measure(given.folder, given.notes, USUAL if given.usual else AHEAD))


if __name__ == "__main__":
    main()
