"""Measures what the nights do to recall: a set is asked before and after nights with all jobs.

    python -m bench.nights --data DIR --store DIR [--sets locomo] [--nights 30] [--users 3]

`--data` as in `bench/benchmarks.py`; the store should be empty. The notes of the first users of a
set are written word for word, and each question is asked, without a trace. Then so many days pass
by a clock of the bench; each day every question that is `used` (one of three) is asked with a
trace, as in a memory that is in use, and at its end each job runs once. Reported before and after:
R@5, R@10 and the share of recalls with a hit that a job made, in percent; and some of what jobs
wrote, to be read and judged."""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from statistics import fmean

from bench.benchmarks import (
    AT_ONCE,
    Asked,
    Benchmark,
    arguments,
    ask,
    open_set,
    open_store,
    sets_of,
    share,
)
from graphmem.domain.notes import Kind, NoteFilter
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import run_job, scheduled_jobs
from graphmem.services.reading.notes import list_notes
from graphmem.services.recall.request import RecallRequest

USED = 3  # one of so many questions is asked each day
SHOWN = 100  # of what jobs wrote


async def asked(
    context: Context, given: Benchmark, questions: Sequence[Asked], *, track: bool
) -> dict[str, float]:
    """The shares of the gold notes that are found."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(each: Asked) -> tuple[float, float, bool]:
        async with turn:
            access = await open_access(context, given.access[each.user].viewer.user, None)
            question = RecallRequest(query=each.text, k=10, track=track)
            found = [h.note.external_id for h in (await ask(context, access, question)).hits]
        return share(found, each.gold, 5), share(found, each.gold, 10), None in found

    rows = await asyncio.gather(*map(one, questions))
    names = ("R@5", "R@10", "derived")
    return {
        name: round(100 * fmean(row[place] for row in rows), 1) for place, name in enumerate(names)
    }


async def written_by_jobs(context: Context, given: Benchmark) -> list[str]:
    """Notes that no writer gave."""
    found = list[str]()
    for user in given.access.values():
        access = await open_access(context, user.viewer.user, None)
        only = NoteFilter(kinds=(Kind.SEMANTIC,))
        page = await list_notes(context, access, only, first=SHOWN, after=None)
        found += [note.content for note in page.notes if note.external_id is None]
    return found[:SHOWN]


async def measure(context: Context, given: Benchmark, nights: int) -> None:
    """Print the figures before and after."""
    before = await asked(context, given, given.questions, track=False)
    print(json.dumps({"set": given.name, "questions": len(given.questions), "before": before}))
    began = context.clock()
    for night in range(1, nights + 1):
        now = began + timedelta(days=night - 0.5)  # the notes of a day are not a day old
        later = replace(context, clock=lambda now=now: now)
        await asked(later, given, given.questions[::USED], track=True)
        await later.log.flush()
        for job in scheduled_jobs(later):
            run = await run_job(later, job.name)
            if run.error:
                print(json.dumps({"night": night, "job": job.name, "error": run.error}))
    end = replace(context, clock=lambda: began + timedelta(days=nights))
    after = await asked(end, given, given.questions, track=False)
    print(json.dumps({"set": given.name, "nights": nights, "after": after}), flush=True)
    for text in await written_by_jobs(end, given):
        print(json.dumps({"written": text}))


async def main() -> None:
    """Parse the command line and measure each set."""
    parser = arguments(__doc__)
    parser.add_argument("--nights", type=int, default=30)
    parser.add_argument("--users", type=int, default=3)
    given: argparse.Namespace = parser.parse_args()
    async with open_store(given.store) as context:
        for name in sets_of(given):
            whole = await open_set(context, given.data, name, most=given.users)
            await measure(context, whole, given.nights)


if __name__ == "__main__":
    asyncio.run(main())
