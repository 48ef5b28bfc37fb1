"""Measures what forgetting the weakest notes costs, beside forgetting as many at random.

    python -m bench.forgetting --data DIR --store DIR [--set locomo]

Every other question of each user is asked first: the first ten hits of each are accesses, an hour
apart. A note counts as written when it happened. Then the notes with the lowest activation
(`graphmem.domain.strength`) are forgotten by the service itself, 10, 30, 45 and 60 % of them, and
R@10 is measured with the other half of the questions; the same with notes drawn at random. At the
end everything is restored. Nothing of the questions that measure takes part in what is forgotten.
"""

import argparse
import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean

from bench.benchmarks import AT_ONCE, Asked, Benchmark, ask, open_set, open_store, shares_of
from graphmem.domain.activation import ACT_R_DECAY
from graphmem.domain.notes import Note, NoteFilter
from graphmem.domain.strength import activation_of
from graphmem.services.context import Access, Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.reading.notes import MAX_PAGE, list_notes
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.changing import restore

PARTS = (0.1, 0.3, 0.45, 0.6)
SEEDS = (1, 2, 3)
HITS = 10
BETWEEN = timedelta(hours=1)


async def notes_of(context: Context, access: Access) -> list[Note]:
    """All notes of a user."""
    notes: list[Note] = []
    after = None
    while True:
        page = await list_notes(context, access, NoteFilter(), first=MAX_PAGE, after=after)
        notes += page.notes
        if not page.has_next:
            return notes
        after = page.cursors[-1]


async def used(
    context: Context, access: Access, asked: Sequence[Asked], since: datetime
) -> Mapping[str, list[datetime]]:
    """When each note was among the hits, as if the questions were asked one after the other."""
    times = defaultdict[str, list[datetime]](list)
    for place, each in enumerate(asked, 1):
        question = RecallRequest(query=each.text, k=HITS, track=False)
        for hit in (await ask(context, access, question)).hits:
            times[hit.note.id].append(since + place * BETWEEN)
    return times


def weakest_first(
    notes: Iterable[Note], times: Mapping[str, list[datetime]], now: datetime
) -> list[str]:
    """The ids of the notes, the lowest activation first."""
    ordered = []
    for note in notes:
        accesses = tuple(times.get(note.id, ()))
        lived = replace(
            note,
            created_at=note.occurred_at or note.created_at,
            accesses=accesses[-20:],
            access_count=len(accesses),
        )
        ordered.append((activation_of(lived, now, ACT_R_DECAY), note.id))
    return [i for _, i in sorted(ordered)]


async def _each(steps: Iterable[Awaitable[object]]) -> None:
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(step: Awaitable[object]) -> None:
        async with turn:
            await step

    await asyncio.gather(*map(one, steps))


async def curve(
    context: Context, given: Benchmark, orders: Mapping[str, Sequence[str]]
) -> list[float]:
    """R@10 after each part of the notes is forgotten in the orders given; restores them."""
    found, gone = [], {user: 0 for user in orders}
    for part in PARTS:
        steps = []
        for user, order in orders.items():
            count = round(part * len(order))
            steps += [
                forget(
                    context,
                    given.access[user],
                    note_id=i,
                    query=None,
                    confirm=True,
                    permanent=False,
                    reason=None,
                )
                for i in order[gone[user] : count]
            ]
            gone[user] = count
        await _each(steps)
        found.append(fmean(at_10 for _, at_10 in await shares_of(context, given)))
    await _each(
        restore(context, given.access[user], i)
        for user in orders
        for i in orders[user][: gone[user]]
    )
    return found


async def run(data: Path, store: Path, name: str) -> None:
    """Ask, forget, measure, restore; print."""
    async with open_store(store) as context:
        opened = await open_set(context, data, name)
        weak, notes = dict[str, list[str]](), dict[str, list[Note]]()
        for user, access in opened.access.items():
            notes[user] = await notes_of(context, access)
            since = max(note.occurred_at or note.created_at for note in notes[user])
            own = [each for each in opened.questions if each.user == user][::2]
            times = await used(context, access, own, since)
            weak[user] = weakest_first(notes[user], times, since + (len(own) + 1) * BETWEEN)
        rest = [
            each
            for user in opened.access
            for each in [asked for asked in opened.questions if asked.user == user][1::2]
        ]
        measured = replace(opened, questions=tuple(rest))
        whole = fmean(at_10 for _, at_10 in await shares_of(context, measured))
        by_strength = await curve(context, measured, weak)
        drawn = []
        for seed in SEEDS:
            order = {user: random.Random(seed).sample(ids, len(ids)) for user, ids in weak.items()}
            drawn.append(await curve(context, measured, order))
        print(f"{name}, {len(rest)} questions: R@10 {100 * whole:.1f} with all notes")
        print(f"{'forgotten':>10}{'weakest':>10}{'random':>10}{'share of the loss':>20}")
        for place, part in enumerate(PARTS):
            random_r = fmean(values[place] for values in drawn)
            share = (whole - by_strength[place]) / max(whole - random_r, 1e-9)
            values = f"{100 * by_strength[place]:>10.1f}{100 * random_r:>10.1f}{share:>20.2f}"
            print(f"{100 * part:>9.0f}%" + values)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--set", default="locomo")
    given = parser.parse_args()
    asyncio.run(run(given.data, given.store, given.set))


if __name__ == "__main__":
    main()
