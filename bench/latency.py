"""Measures how long recall takes on real questions, beside the service, with the real model.

    python -m bench.latency --data DIR --store DIR [--sets locomo,musique] [--rounds 3]

`--data` and `--store` as in `bench/ablation.py`. First each set is asked 1,500 questions
that do not count, in which Java compiles what it runs. Then the sets are asked in turn, a round
of questions of each, so that a machine whose speed changes changes it for all.
Milliseconds of one caller: median and 95th percentile; then answers a second of eight callers at
once. `--last-stage` asks each question with and without the last stage of `BALANCED`, in turn, and
tells the median of the differences. To compare two checkouts run this file with the `PYTHONPATH` of
each, in turn, on stores of their own."""

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.benchmarks import Asked, Benchmark, arguments, open_set, open_store, sets_of
from graphmem.services.context import Context
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest

A_ROUND = 60  # questions
CALLERS = 8
WARMING = 1_500  # questions that don't count: until then Java still compiles what it runs often


async def ask(context: Context, given: Benchmark, asked: Asked, hops: int) -> float:
    """Milliseconds of one recall."""
    question = RecallRequest(query=asked.text, k=10, hops=hops, track=False)
    began = time.perf_counter()
    await recall(context, given.access[asked.user], question)
    return 1000 * (time.perf_counter() - began)


async def at_once(context: Context, given: Benchmark, part: Sequence[Asked], hops: int) -> float:
    """Answers a second of several callers."""
    left = list(part)

    async def caller() -> None:
        while left:
            await ask(context, given, left.pop(), hops)

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return len(part) / (time.perf_counter() - began)


def part_of(given: Benchmark, number: int) -> list[Asked]:
    """The questions of a round: others each time, as long as there are others."""
    count = len(given.questions)
    return [given.questions[(number * A_ROUND + i) * 7 % count] for i in range(A_ROUND)]


async def warm_up(context: Context, given: Benchmark, hops: int) -> None:
    """Ask with eight callers, and count nothing."""
    for number in range(WARMING // A_ROUND):
        await at_once(context, given, part_of(given, number), hops)


async def last_stage(data: Path, store: Path, sets: Sequence[str], rounds: int, hops: int) -> None:
    """Ask with and without the last stage, and print what it takes."""
    async with open_store(store) as context:
        plain = replace(context, balanced=replace(context.balanced, reranking=None))
        for name in sets:
            given, differences = await open_set(context, data, name), list[float]()
            await warm_up(context, given, hops)
            await warm_up(plain, given, hops)
            for number in range(rounds):
                for place, asked in enumerate(part_of(given, number)):
                    took = dict[bool, float]()
                    for staged in (place % 2 == 0, place % 2 == 1):
                        took[staged] = await ask(context if staged else plain, given, asked, hops)
                    differences.append(took[True] - took[False])
            print(f"{name:<12}{statistics.median(differences):7.1f} ms of the last stage")


async def run(data: Path, store: Path, sets: Sequence[str], rounds: int, hops: int) -> None:
    """Ask and print."""
    times, rates = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    async with open_store(store) as context:
        opened = [await open_set(context, data, name) for name in sets]
        for given in opened:
            await warm_up(context, given, hops)
        for number in range(rounds):
            for given in opened:
                part = part_of(given, number)
                times[given.name] += [await ask(context, given, asked, hops) for asked in part]
                rates[given.name].append(await at_once(context, given, part, hops))
    for name, all_times in times.items():
        p95 = sorted(all_times)[int(0.95 * (len(all_times) - 1))]
        rate = statistics.median(rates[name])
        print(f"{name:<12}{statistics.median(all_times):7.1f} /{p95:7.1f} ms {rate:7.1f} a second")


def main() -> None:
    """Parse the command line and run."""
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hops", type=int, default=2)
    parser.add_argument("--last-stage", action="store_true")
    given = parser.parse_args()
    sets = sets_of(given)
    measured = last_stage if given.last_stage else run
    asyncio.run(measured(given.data, given.store, sets, given.rounds, given.hops))


if __name__ == "__main__":
    main()
