"""The pace of a job: how much it does at once, and when it lets callers go first.

A job has a graph that watches the clock: the longer its last writes took, the fewer notes the next
transaction changes, since a writer may wait for the locks of one. And as long as any caller is
being served, the job rests after each query for longer than the query took, so that callers have
most of the processors and of Neo4j.

This only applies where the result is the same for any size. Where it matters which notes are taken
together, as for a summary, or where each transaction has an event, the size is fixed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from copy import copy
from typing import Any, Final, TypeVar

from graphmem.services.callers import REST, Callers
from graphmem.store.batches import BatchSize
from graphmem.store.graph import Graph

TARGET_S: Final = 0.025  # aim for one transaction
FIRST: Final = 5  # notes of the first transaction of a kind
LEAST: Final = 4  # fewer hardly make a transaction shorter, which takes some time in any case
MOST: Final = 50
MOST_REST_S: Final = 0.25  # limits the rest: on a busy machine most of a query's time is waiting
PAGE: Final = 10_000  # notes: some 0.2 s where none is due
PAGE_BESIDE_CALLERS: Final = 1_000
ALONE: Final = BatchSize(batch=MOST, most=40)  # some seconds
BESIDE_CALLERS: Final = BatchSize(batch=10, most=5)  # some 25 ms, then the job rests
Item = TypeVar("Item")
Call = Callable[..., Awaitable[Any]]


class Pace:
    """The pace of one run."""

    def __init__(
        self,
        callers: Callers,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Begin with small transactions; `clock` is in seconds."""
        self._callers, self._clock, self._sleep = callers, clock, sleep
        self._sizes: dict[str, int] = {}
        self._longest_s = 0.0  # longest transaction since the batch was given out

    def of(self, graph: Graph) -> Graph:
        """Return the graph as the job uses it."""
        mine: Any = copy(graph)
        for name in ("read", "write", "run_batches"):
            setattr(mine, name, self._watch(getattr(graph, name), writes=name == "write"))
        return mine

    def batches(self, kind: str, rows: Sequence[Item]) -> Iterator[Sequence[Item]]:
        """Split the rows into batches, each as large as a transaction of that kind may be now."""
        start = 0
        while start < len(rows):
            batch = rows[start : start + self.size(kind)]
            self._longest_s = 0.0
            yield batch
            self._adapt_size(kind, len(batch))
            start += len(batch)

    def batch_size(self) -> BatchSize:
        """Return how much one statement of a job that is Cypher may change now."""
        return BESIDE_CALLERS if self._callers.here else ALONE

    def page(self) -> int:
        """Return how many notes one statement of such a job may go through now."""
        return PAGE_BESIDE_CALLERS if self._callers.here else PAGE

    def limits(self, kind: str) -> Iterator[int]:
        """Yield, without end, how many rows the next page of a query may have.

        The sizes follow the same rule as `batches`.
        """
        while True:
            limit = self.size(kind)
            self._longest_s = 0.0
            yield limit
            self._adapt_size(kind, limit)

    def size(self, kind: str) -> int:
        """Return how many rows a transaction of that kind should change now."""
        return self._sizes.get(kind, FIRST)

    def _adapt_size(self, kind: str, count: int) -> None:
        """Fit the size to how long a batch took: reduce it at once, increase it by steps."""
        if self._longest_s:
            fitting = min(2 * self.size(kind), int(count * TARGET_S / self._longest_s))
            self._sizes[kind] = max(LEAST, min(MOST, fitting))

    def _watch(self, reach: Call, *, writes: bool) -> Call:
        async def watched(*given: Any, **named: Any) -> Any:
            began = self._clock()
            try:
                return await reach(*given, **named)
            finally:
                took = self._clock() - began
                if writes:
                    self._longest_s = max(self._longest_s, took)
                if self._callers.here:
                    await self._sleep(min(REST * took, MOST_REST_S))

        return watched
