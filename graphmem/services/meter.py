"""The meter of a process: counts of what it does, and times in buckets, for whoever runs it.

A label is a word of ours: the name of an operation, a stage or a code. What a request says, names
or holds is never one."""

import asyncio
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, TypeVar

BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
MOST: Final = 2_000  # different labels of all counts, and of all times
OTHER: Final = "other"  # stands for what has no name of ours, and for what comes after so many
REQUESTS: Final = "requests"  # by protocol, operation, outcome
ANSWERS: Final = "answers"  # over HTTP, by protocol, status
REFUSALS: Final = "refusals"  # before an operation began, by code
OPERATION: Final = "operation"  # the time of each
STAGE: Final = "stage"  # of a recall
LAG: Final = "lag"  # of the event loop
LAG_EVERY_S: Final = 0.5

T = TypeVar("T")
Key = tuple[str, ...]


@dataclass
class Times:
    """Times of one kind: how many there are in each bucket (the last has no upper bound), and their
    sum in seconds."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    sum_s: float = 0.0

    def add(self, seconds: float) -> None:
        """Add a time."""
        self.buckets[bisect_left(BOUNDS_S, seconds)] += 1
        self.sum_s += seconds

    @property
    def count(self) -> int:
        """The number of measured times."""
        return sum(self.buckets)

    def below(self, share: float) -> float | None:
        """Return the bound, in seconds, that this share of the times does not exceed; None if
        there is no time yet, and infinity if it is above every bound."""
        wanted = share * self.count
        reached = zip(accumulate(self.buckets), (*BOUNDS_S, float("inf")), strict=True)
        return next((bound for count, bound in reached if count and count >= wanted), None)


class Spans:
    """Follows each request, operation and stage on its own. This class does nothing; another one
    takes its place where traces are wanted."""

    def open(
        self, name: str, labels: Mapping[str, str], trace: str | None = None
    ) -> AbstractContextManager[Callable[[str, int], None]]:
        """Return what is open as long as the work goes on; it gives a function that adds a label.

        With a `trace` (a W3C traceparent, "" for none) it is a request of somebody else."""
        return nullcontext(_ignore)


class Meter:
    """The counts and times of a process since its start, by a name and labels."""

    def __init__(self) -> None:
        self.spans = Spans()
        self.began_s = time.monotonic()
        self.counts: Counter[Key] = Counter()
        self.times: dict[Key, Times] = {}

    def count(self, name: str, *labels: str) -> None:
        """Count once more."""
        self.counts[_bounded(self.counts, (name, *labels))] += 1

    def time(self, name: str, seconds: float, *labels: str) -> None:
        """Add a time."""
        key = _bounded(self.times, (name, *labels))
        if key not in self.times:
            self.times[key] = Times()
        self.times[key].add(seconds)

    async def stage(self, label: str, work: Awaitable[T]) -> T:
        """Await one stage of a recall, record how long it took, and return its result."""
        began = time.perf_counter()
        try:
            with self.spans.open(f"recall {label}", {}):
                return await work
        finally:
            self.time(STAGE, time.perf_counter() - began, label)


def _ignore(label: str, value: int) -> None:
    """Add no label."""


def _bounded(known: "Counter[Key] | dict[Key, Times]", key: Key) -> Key:
    """Return the key, or the one with only `other` as labels if there are too many already."""
    return key if key in known or len(known) < MOST else (key[0], *(OTHER,) * (len(key) - 1))


@asynccontextmanager
async def metering_lag(meter: Meter) -> AsyncIterator[None]:
    """Measure meanwhile by how much the event loop is late."""

    async def look() -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_EVERY_S
            await asyncio.sleep(LAG_EVERY_S)
            meter.time(LAG, max(0.0, loop.time() - due))

    task = asyncio.create_task(look())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
