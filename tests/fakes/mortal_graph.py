"""A process that dies in the middle of its work, or whose database is away for a moment, as far as
a graph can see it."""

from collections.abc import Awaitable, Callable
from copy import copy
from random import Random
from typing import Any

from graphmem.errors import Unavailable
from graphmem.store.graph import Graph


class Killed(BaseException):
    """The process is gone: nothing in it goes on, and no handler of an Exception runs."""


class Fault:
    """Comes once at a query, before it or after it is committed, as `rng` has it. The process is
    killed, and from then on nothing of it reaches the graph; or the database is away for this one
    query. `after`: the number of queries that go well at most."""

    def __init__(self, rng: Random, after: int) -> None:
        self._left = rng.randint(1, after)
        self._committed, self._kills = rng.random() < 0.5, rng.random() < 0.7
        self.came = False

    def of(self, graph: Graph) -> Graph:
        """The graph as the process has it."""
        mortal: Any = copy(graph)
        for name in ("read", "write", "run"):
            setattr(mortal, name, self._guarded(getattr(graph, name)))
        return mortal

    def _guarded(self, reach: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def guarded(*args: Any, **given: Any) -> Any:
            if self.came and self._kills:
                raise Killed
            self._left -= 1
            comes = self._left == 0
            self.came |= comes
            found = await reach(*args, **given) if self._committed or not comes else None
            if comes:
                raise Killed if self._kills else Unavailable
            return found

        return guarded
