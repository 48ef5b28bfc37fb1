"""Measures whether the confidence of a recall tells questions that have an answer from others.

    python -m bench.confidence --data DIR --store DIR [--sets ...] [--unanswerable adversarial]

Each question is asked where its answer is, and in another user's store, where it is not; stores of
users with the same name hold the same conversation, so they are left out. AUROC is the chance that
an answerable question has a higher confidence than an unanswerable one, 0.5 for a guess.
`elsewhere` compares with the questions asked in other stores, `unanswerable` with those of the
category that has no answer anywhere. Then, of the answerable ones and of those asked elsewhere, the
median and the share below 0.3 (nothing fits). Last, what an unasked recall at a prompt would do
if it spoke from some confidence on (`SURE` of graphmem/client/hooks/events.py): the shares of the
answerable ones and of those asked elsewhere at which it speaks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.benchmarks import (
    AT_ONCE,
    Asked,
    Benchmark,
    arguments,
    ask,
    open_set,
    open_store,
    sets_of,
)
from graphmem.services.context import Access, Context
from graphmem.services.recall.request import RecallRequest

LOW = 0.3
SPEAKS_FROM = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.72, 0.74)


@dataclass(frozen=True)
class Found:
    """Confidences of one set's questions."""

    answerable: Sequence[float]
    unanswerable: Sequence[float]
    elsewhere: Sequence[float]


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The share of pairs in which the positive is the higher one; equal ones count half."""
    if not positive or not negative:
        return float("nan")
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / len(positive) / len(negative)


async def _confidences(context: Context, asked: Sequence[tuple[Access, str]]) -> list[float]:
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(access: Access, text: str) -> float:
        async with turn:
            return (await ask(context, access, RecallRequest(query=text, track=False))).confidence

    return list(await asyncio.gather(*(one(*each) for each in asked)))


def _elsewhere(place: int, asked: Asked, opened: Sequence[Benchmark]) -> Access:
    others = [
        access for each in opened for user, access in each.access.items() if user != asked.user
    ]
    return others[place % len(others)]


async def measure(
    context: Context, given: Benchmark, opened: Sequence[Benchmark], no: str
) -> Found:
    """Ask all of a set."""
    yes = [each for each in given.questions if each.category != no]
    never = [each for each in given.questions if each.category == no]
    away = [(_elsewhere(place, each, opened), each.text) for place, each in enumerate(yes)]
    return Found(
        await _confidences(context, [(given.access[each.user], each.text) for each in yes]),
        await _confidences(context, [(given.access[each.user], each.text) for each in never]),
        await _confidences(context, away),
    )


def _line(name: str, found: Found) -> str:
    cells = [auroc(found.answerable, found.elsewhere), auroc(found.answerable, found.unanswerable)]
    for values in (found.answerable, found.elsewhere):
        cells += [median(values), sum(value < LOW for value in values) / len(values)]
    return f"{name:<14}" + "".join(f"{cell:>14.3f}" for cell in cells)


def _speaking(name: str, found: Found) -> str:
    """At each confidence: the shares of those that have an answer, and of those that have none."""
    cells = [
        "/".join(
            f"{100 * sum(value >= sure for value in values) / len(values):.1f}"
            for values in (found.answerable, found.elsewhere)
        )
        for sure in SPEAKS_FROM
    ]
    return f"{name:<14}" + "".join(f"{cell:>14}" for cell in cells)


async def run(data: Path, store: Path, sets: Sequence[str], no: str) -> None:
    """Fill, ask and print."""
    async with open_store(store) as context:
        opened = [await open_set(context, data, name) for name in sets]
        heads = "elsewhere unanswerable median low-share away-median away-low".split()
        print(f"{'AUROC':<14}" + "".join(f"{head:>14}" for head in heads))
        found = [await measure(context, each, opened, no) for each in opened]
        for each, values in zip(opened, found, strict=True):
            print(_line(each.name, values), flush=True)
        together = Found(
            [value for each in found for value in each.answerable],
            [value for each in found for value in each.unanswerable],
            [value for each in found for value in each.elsewhere],
        )
        print(_line("all", together))
        print(f"{'speaks from':<14}" + "".join(f"{sure:>14}" for sure in SPEAKS_FROM))
        for each, values in zip(opened, found, strict=True):
            print(_speaking(each.name, values))
        print(_speaking("all", together))


def main() -> None:
    """Parse the command line and run."""
    parser = arguments(__doc__)
    parser.add_argument("--unanswerable", default="adversarial", help="a category of questions")
    given = parser.parse_args()
    sets = sets_of(given)
    asyncio.run(run(given.data, given.store, sets, given.unanswerable))


if __name__ == "__main__":
    main()
