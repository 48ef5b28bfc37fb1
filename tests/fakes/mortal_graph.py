"""A process that dies in the middle of its work, or whose database is away for a moment, as far as
a graph can see it."""

from collections.abc import Awaitable, Callable
from copy import copy
from random import Random
from typing import Any

from graphmem.errors import Unavailable
from graphmem.store.graph import Graph

HALFWAY = 3  # notes that a statement of a job changes before it is cut off


class Killed(BaseException):
    """The process is gone: nothing in it goes on, and no handler of an Exception runs."""


class Fault:
    """Comes once, at the query of number `at`, before it or after it is committed. The process is
    killed, and from then on nothing of it reaches the graph; or the database is away for this one
    query."""

    def __init__(self, at: int, *, committed: bool, kills: bool) -> None:
        self._left, self._committed, self._kills = at, committed, kills
        self.came = False

    @classmethod
    def chosen(cls, rng: Random, most: int) -> "Fault":
        """Any fault at one of the first `most` queries."""
        at = rng.randint(1, most)
        return cls(at, committed=rng.random() < 0.5, kills=rng.random() < 0.7)

    def of(self, graph: Graph) -> Graph:
        """The graph as the process has it."""
        mortal: Any = copy(graph)
        for name in ("read", "write", "run"):
            setattr(mortal, name, self._guarded(getattr(graph, name)))
        mortal.run_batches = self._guarded(graph.run_batches, most=HALFWAY)
        return mortal

    def _guarded(
        self, reach: Callable[..., Awaitable[Any]], **halfway: Any
    ) -> Callable[..., Awaitable[Any]]:
        async def guarded(*args: Any, **given: Any) -> Any:
            if self.came and self._kills:
                raise Killed
            self._left -= 1
            comes = self._left == 0
            self.came |= comes
            if comes and self._committed:
                await reach(*args, **given | halfway)
            if comes:
                raise Killed if self._kills else Unavailable
            return await reach(*args, **given)

        return guarded
