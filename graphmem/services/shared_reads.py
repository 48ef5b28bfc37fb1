"""Reads that many callers ask for at the same time, carried out once for all of them."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class SharedReads:
    """Shares one read among callers that ask for the same thing at the same time.

    At most one read per key runs at a time; callers that ask while it runs share the next one. So
    an answer is never older than the request, and however many callers there are, at most one read
    runs and one waits.
    """

    def __init__(self) -> None:
        """Start without any reads."""
        self._running: dict[Hashable, asyncio.Task[Any]] = {}
        self._next: dict[Hashable, asyncio.Task[Any]] = {}

    async def get(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `read`, or of another caller's with this key.

        Raises what it raises; a caller that is cancelled takes nothing from the others.
        """
        task = self._next.get(key)
        if task is None:
            task = asyncio.create_task(self._read(key, self._running.get(key), read))
            task.add_done_callback(_fetch_error)
            self._next[key] = task
        return await asyncio.shield(task)

    async def _read(
        self,
        key: Hashable,
        before: asyncio.Task[Any] | None,
        read: Callable[[], Awaitable[T]],
    ) -> T:
        if before is not None:
            await asyncio.wait((before,))
        task = self._next.pop(key)
        self._running[key] = task
        try:
            return await read()
        finally:
            if self._running.get(key) is task:
                del self._running[key]

    async def close(self) -> None:
        """Stop what is being read."""
        tasks = {*self._running.values(), *self._next.values()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._running.clear()
        self._next.clear()


def _fetch_error(task: asyncio.Task[Any]) -> None:
    """Fetch the error of a read that has no caller left; asyncio would log it otherwise."""
    if not task.cancelled():
        task.exception()
