"""Streamed answers: each is one of the streams that its user may have at the same time, and ends
soon after the caller may no longer ask, even while nothing happens."""

import asyncio
import weakref
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from graphmem.errors import GraphmemError
from graphmem.operations.command import Command
from graphmem.operations.metering import run_counted
from graphmem.operations.operation import Operation

T = TypeVar("T")
LOOK_S: Final = 10.0  # between two checks that the caller may still ask


async def stream_of(
    command: "Command[AsyncGenerator[T]]", operation: Operation, protocol: str = "rest"
) -> "Stream[T]":
    """Return the answers of a command. Raises RateLimited for one stream too many, and what it
    raises."""
    share = operation.take_stream()
    try:
        answers = await run_counted(protocol, command, operation)
    except BaseException:
        share.release()
        raise
    stream = Stream(answers, operation)
    stream.released = weakref.finalize(stream, share.release)  # even if nobody ever reads from it
    return stream


class Stream(AsyncIterator[T], Generic[T]):
    """The answers of one command; whoever takes them closes it."""

    released: Any

    def __init__(self, answers: AsyncGenerator[T], operation: Operation) -> None:
        self._answers, self._operation = answers, operation
        self._waiting: asyncio.Future[T] | None = None

    async def __anext__(self) -> T:
        """Return the next answer. Raises what `check_access` does once the caller may not ask."""
        try:
            return await self._next()
        except BaseException:
            await self.aclose()
            raise

    async def _next(self) -> T:
        waiting = self._waiting or asyncio.ensure_future(anext(self._answers))
        self._waiting = waiting
        while not waiting.done():
            done, _ = await asyncio.wait((waiting,), timeout=until_next_look())
            if not done:
                await self._check_access()
        self._waiting = None
        return waiting.result()

    async def _check_access(self) -> None:
        try:
            await self._operation.check_access()
        except GraphmemError as error:
            if not error.retryable:  # a retryable error is checked again next time
                raise

    async def aclose(self) -> None:
        """Stop; calling it again has no effect."""
        self.released()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, Exception):
                await waiting
        await self._answers.aclose()


def until_next_look() -> float:
    """Return the seconds until the next check. All streams check at the same moments, so that those
    of the same viewer share one check."""
    return LOOK_S - asyncio.get_running_loop().time() % LOOK_S
