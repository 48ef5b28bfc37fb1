"""Keeps the vectors of recent questions: many are repeated, by paging or by a team."""

import asyncio
import time
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from graphmem.ai.embedder import Embedder

_LONGEST_KEPT: Final = 2_000  # characters; so the keys stay small next to the vectors


@dataclass
class Encoded:
    """The work of the embedder on one kind of texts: those that wait for their vectors, those that
    got them, and the seconds that those who asked have waited in all."""

    waiting: int = 0
    texts: int = 0
    seconds: float = 0.0

    @contextmanager
    def encoding(self, texts: int) -> Iterator[None]:
        """Count texts that are being encoded meanwhile."""
        began = time.perf_counter()
        self.waiting += texts
        try:
            yield
            self.texts += texts
        finally:
            self.waiting -= texts
            self.seconds += time.perf_counter() - began


class QueryCache:
    """An embedder that caches the last `size` question vectors of another one.

    Equal questions that come at the same time are computed once."""

    def __init__(self, inner: Embedder, size: int) -> None:
        self._inner = inner
        self._size = size
        self._kept: OrderedDict[str, array[float]] = OrderedDict()
        self._running: dict[str, asyncio.Task[array[float]]] = {}
        self.work = {"question": Encoded(), "document": Encoded()}

    @property
    def model_id(self) -> str:
        """The model of the wrapped embedder."""
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        """The dimension of the wrapped embedder."""
        return self._inner.dimension

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of the wrapped embedder; documents aren't cached."""
        with self.work["document"].encoding(len(texts)):
            return await self._inner.embed_documents(texts)

    async def embed_query(self, text: str) -> list[float]:
        """Return a cached vector, or compute it; raise Unavailable."""
        if (kept := self._kept.get(text)) is not None:
            self._kept.move_to_end(text)
            return kept.tolist()
        if (task := self._running.get(text)) is None:
            task = self._running[text] = asyncio.create_task(self._compute(text))
            task.add_done_callback(_retrieve_failure)
        # Shielded: a caller that gives up must not cancel it for the others that wait.
        return (await asyncio.shield(task)).tolist()

    def count_tokens(self, text: str) -> int:
        """Count tokens as the wrapped embedder does."""
        return self._inner.count_tokens(text)

    def forget(self) -> None:
        """Forget all questions; those being computed are cached once they are done."""
        self._kept.clear()

    async def ready(self) -> None:
        """Wait for the wrapped embedder."""
        await self._inner.ready()

    async def close(self) -> None:
        """Close the wrapped embedder and wait for the questions that it still answers."""
        await self._inner.close()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _compute(self, text: str) -> "array[float]":
        """Compute one vector and cache it; a failure isn't cached."""
        try:
            with self.work["question"].encoding(1):
                vector = array("d", await self._inner.embed_query(text))
        finally:
            del self._running[text]
        if len(text) <= _LONGEST_KEPT:
            self._kept[text] = vector
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return vector


def _retrieve_failure(task: "asyncio.Task[array[float]]") -> None:
    """Retrieve a failure that nobody waited for, so that asyncio doesn't complain."""
    if not task.cancelled():
        task.exception()
