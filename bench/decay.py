"""How long the hourly sweep of decay takes, and how long a writer waits for it meanwhile.

    python -m bench.decay FOLDER [--notes 101000] [--usual | --shares 1,0.1,0 [--beside]]

The folder is filled first if it is empty. One sweep looks a month later, when many notes have
another status; the next one looks an hour after that, when hardly any has: the usual one. With
`--usual` the sweeps look at the first hours after the notes were written alone. With `--shares`,
all look at the same hour, and before each one this share of the notes gets a status that does not
fit; nobody writes meanwhile. With `--beside`, each such sweep is done once more while one caller
recalls and one writes without a pause, and the sweep lets them go first; recalls at half and at
95 % idle and beside it, the files, and the heap and memory of Neo4j are reported, too. `--straight`
fills straight to the graph, as is done in any case for more than 100,000 notes.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from neo4j import AsyncGraphDatabase

from bench.filling import THROUGH_SERVICE, Vectors, fill, settings_of, users_of
from bench.jobs import Felt, beside
from bench.processors import memory_mb
from graphmem.app import connect_context, open_server
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import run_job
from graphmem.store.graph import Graph
from graphmem.store.meta import notes_after
from graphmem.store.notes import reinforce_step

UNFITTING = """MATCH (n:Note) WHERE rand() < $share
CALL (n) { SET n.status = 'ACTIVE' } IN TRANSACTIONS OF 1000 ROWS"""
HEAP = """CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes
RETURN attributes.HeapMemoryUsage.value.properties.used / 1e6 AS mb"""
IDLE_S = 15.0
AHEAD = (timedelta(days=30), timedelta(days=30, hours=1), timedelta(days=30, hours=2))
USUAL = (timedelta(hours=1), timedelta(hours=2), timedelta(hours=3))


async def measure(folder: Path, notes: int, aheads: Sequence[timedelta]) -> None:
    """Print a line for each sweep."""
    async with (
        open_server(settings_of(folder, notes)) as address,
        connect_context(settings_of(folder, notes), Vectors(), address, patience_s=60) as context,
    ):
        some = [note.id for note in await notes_after(context.graph, "", 500)]
        for ahead in aheads:
            await _sweep(context, ahead, some)


async def measure_shares(
    folder: Path, notes: int, shares: Sequence[float], *, callers: bool
) -> None:
    """Print a line for each sweep of which a share of the notes changes."""
    settings = settings_of(folder, notes)
    async with (
        open_server(settings) as address,
        connect_context(settings, Vectors(), address, patience_s=60) as context,
        AsyncGraphDatabase.driver(
            address.bolt_uri, auth=(address.user, address.password)
        ) as driver,
        driver.session() as session,
    ):
        later = replace(context, clock=lambda: context.clock() + AHEAD[0])
        some = [note.id for note in await notes_after(context.graph, "", 500)]
        feel = partial(beside, context, users_of(notes), some)
        idle = await _felt_for(feel, IDLE_S) if callers else ""
        for share in shares:
            for felt in (False, True)[: 1 + callers]:
                await (await session.run(UNFITTING, share=share)).consume()
                ended = asyncio.Event()
                task = asyncio.create_task(feel(ended.is_set)) if felt else None
                began = time.perf_counter()
                run = await run_job(later, "sweep_decay")
                took = time.perf_counter() - began
                ended.set()
                told = "" if task is None else f"; idle {idle}; beside it {_told(await task)}"
                counts = f"{run.counts['notes']:,} notes, {run.counts['changed']:,} changed"
                print(f"{counts}: {took:.2f} s{told}", flush=True)
        if callers:
            heap = await (await session.run(HEAP)).single(strict=True)
            files = await asyncio.to_thread(_files_mb, folder)
            memory = memory_mb(address.pid)[0]
            print(f"files {files:,.0f} MB, heap {heap['mb']:,.0f} MB, Neo4j {memory:,.0f} MB")


async def _felt_for(feel: Callable[[Callable[[], bool]], Awaitable[Felt]], seconds: float) -> str:
    """What callers feel, once Java has compiled what they need."""
    felt = Felt()
    for _ in range(2):
        until = time.perf_counter() + seconds
        felt = await feel(lambda until=until: time.perf_counter() > until)
    return _told(felt)


def _told(felt: Felt) -> str:
    if len(felt.recalls) < 2:  # the sweep was faster
        return "no recall to tell of"
    p95 = statistics.quantiles(felt.recalls, n=20)[-1]
    return f"recall p50 {statistics.median(felt.recalls):.1f}, p95 {p95:.1f} ms"


def _files_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


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
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--straight", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if not any(given.folder.iterdir()):
        through_service = 0 if given.straight else THROUGH_SERVICE
        filled = asyncio.run(fill(given.folder, given.notes, through_service))
        print(f"filled at {filled:,.0f} notes/s", flush=True)
    if given.shares:
        asyncio.run(measure_shares(given.folder, given.notes, given.shares, callers=given.beside))
        return
    asyncio.run(measure(given.folder, given.notes, USUAL if given.usual else AHEAD))


if __name__ == "__main__":
    main()
