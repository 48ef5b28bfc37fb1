"""How long each job takes, and what callers feel of it meanwhile.

    python -m bench.jobs FOLDER [--notes 10000] [--jobs sweep_decay,move_tiers] [--days 30]

The folder must be empty. The service warms up as when it starts, and the notes are written. Each
job runs once as it would so many days later, so that Neo4j has planned its queries, as it has where
jobs ran on the days before; `--first` leaves that out. Then as many other notes are written, and
each job runs as it would again so many days later, when many of them have aged. Before it and
beside it one caller recalls and one writes, each one after the other without a pause. Reported for
each job: its time; recall at half and at 95 %, idle and beside the job; the slowest write, idle and
beside it; and of the job's own transactions how long 99 % take at most and the longest, which is
the longest that a writer can wait for a lock of it (but for the first of a kind). The transactions
within a statement of a job that is Cypher are not timed: 0.
Milliseconds, on one machine for all: only idle and beside the job can be compared.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.filling import NOTES_A_USER, Vectors, Words, settings_of, write_users
from graphmem.app import connect_context, open_server
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import WORK, run_job
from graphmem.services.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.warming import warm_up
from graphmem.store.graph import Graph
from graphmem.store.meta import notes_after
from graphmem.store.notes import reinforce_step
from graphmem.warming import OPERATIONS

WARMING = 2_000  # recalls and writes that don't count: Java compiles meanwhile
LEAST_S = 5.0  # for which callers are measured, idle, and beside a job that is done sooner


@dataclass
class Felt:
    """The milliseconds of recalls and of writes."""

    recalls: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)

    def told(self) -> str:
        """Recall at half and at 95 %, and the slowest write."""
        p95 = statistics.quantiles(self.recalls, n=20)[-1]
        middle = statistics.median(self.recalls)
        return f"{middle:7.1f} {p95:7.1f} {max(self.writes):8.1f}"


def timed(graph: Graph, took: list[float]) -> Graph:
    """The same graph, of which each writing transaction is timed; not the first of a kind, which is
    planned then."""
    mine: Any = copy(graph)
    known = set[tuple[str, ...]]()

    async def write(*steps: Any, **given: Any) -> Any:
        began = time.perf_counter()
        try:
            return await graph.write(*steps, **given)
        finally:
            kind = tuple(step.query for step in steps)
            if kind in known:
                took.append(1000 * (time.perf_counter() - began))
            known.add(kind)

    mine.write = write
    return mine


async def beside(
    context: Context, users: int, notes: Sequence[str], ended: Callable[[], bool]
) -> Felt:
    """What two callers feel until it has ended."""
    felt, words = Felt(), Words(3)

    async def recalls() -> None:
        while not ended():
            context.callers.came()
            access = await open_access(context, f"user{words.random.randrange(users)}", None)
            question = RecallRequest(query=words.sentence(8), k=10, track=False)
            felt.recalls.append(await _took(recall.recall(context, access, question)))

    async def writes() -> None:
        while not ended():
            context.callers.came()
            step = reinforce_step({random.choice(notes): ()}, 1.0)
            felt.writes.append(await _took(context.graph.write(step)))
            await asyncio.sleep(0.01)

    await asyncio.gather(recalls(), writes())
    return felt


async def _took(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return 1000 * (time.perf_counter() - began)


def ahead_of(context: Context, later: timedelta) -> Context:
    """The same at a later time."""
    return replace(context, clock=lambda: context.clock() + later)


async def one(context: Context, job: str, later: timedelta, users: int, some: list[str]) -> str:
    """A line about a job."""
    until = time.perf_counter() + LEAST_S
    idle = await beside(context, users, some, lambda: time.perf_counter() > until)
    took: list[float] = []
    ahead = replace(ahead_of(context, later), graph=timed(context.graph, took))
    began, ended = time.perf_counter(), asyncio.Event()
    least = began + LEAST_S
    felt = asyncio.create_task(
        beside(context, users, some, lambda: ended.is_set() and time.perf_counter() > least)
    )
    run = await run_job(ahead, job)
    seconds = time.perf_counter() - began
    ended.set()
    busy = await felt
    counts = {name: count for name, count in run.counts.items() if count}
    took = sorted(took) or [0.0]
    own = f"{took[int(0.99 * (len(took) - 1))]:8.1f} {took[-1]:8.1f}"
    figures = f"{idle.told()}   {busy.told()} {own}"
    return f"{job:20} {run.status:6} {seconds:7.1f} s {figures}  {counts}"


async def measure(
    folder: Path, notes: int, jobs: Sequence[str], later: timedelta, *, first: bool
) -> None:
    """Print a line for each job; `first`: of its first run."""
    settings, vectors = settings_of(folder, notes), Vectors()
    async with (
        open_server(settings) as address,
        connect_context(settings, vectors, address, patience_s=60) as opened,
    ):
        context = opened
        await warm_up(context, OPERATIONS)  # as a service does when it starts
        await write_users(context, vectors, notes)
        if not first:
            context = ahead_of(context, later)
            for job in jobs:
                await run_job(context, job)
            await write_users(context, vectors, notes, turn=1)
        some = [note.id for note in await notes_after(context.graph, "", 500)]
        users = notes // NOTES_A_USER
        calls = 0

        def enough() -> bool:
            nonlocal calls
            calls += 1
            return calls > WARMING

        await beside(context, users, some, enough)
        print(f"{'job':20} {'':14} {'idle p50':>9} {'p95':>7} {'write':>8}", end="")
        print(f" {'busy p50':>10} {'p95':>7} {'write':>8} {'own p99':>8} {'longest':>8}")
        for job in jobs:
            print(await one(context, job, later, users, some), flush=True)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--jobs", default=",".join(sorted(WORK)), help="divided by commas")
    parser.add_argument("--days", type=float, default=30)
    parser.add_argument("--first", action="store_true", help="measure the first run of each job")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if any(given.folder.iterdir()):
        parser.error(f"{given.folder} is not empty")
    jobs, later = given.jobs.split(","), timedelta(days=given.days)
    asyncio.run(measure(given.folder, given.notes, jobs, later, first=given.first))


if __name__ == "__main__":
    main()
