"""Answers that go on: each is one of the streams that its user may have at the same time, and ends
soon after whoever asked may no longer ask, also while nothing happens."""

import asyncio
import weakref
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from graphmem.errors import GraphmemError
from graphmem.operations.command import Command
from graphmem.operations.operation import Operation

T = TypeVar("T")
LOOK_S: Final = 10.0  # between two looks at whether who asked may still ask


async def stream_of(command: "Command[AsyncGenerator[T]]", operation: Operation) -> "Stream[T]":
    """Return the answers of a command. Raises RateLimited for one stream too many, and what it
    raises."""
    share = operation.take_stream()
    try:
        answers = await command.run(operation)
    except BaseException:
        share.release()
        raise
    stream = Stream(answers, operation)
    stream.released = weakref.finalize(stream, share.release)  # also if nobody ever takes of it
    return stream


class Stream(AsyncIterator[T], Generic[T]):
    """The answers of one command; whoever takes them closes it."""

    released: Any

    def __init__(self, answers: AsyncGenerator[T], operation: Operation) -> None:
        self._answers, self._operation = answers, operation
        self._waiting: asyncio.Future[T] | None = None

    async def __anext__(self) -> T:
        """Return the next answer. Raises what `Operation.look` does when who asked may no longer
        ask."""
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
                await self._look()
        self._waiting = None
        return waiting.result()

    async def _look(self) -> None:
        try:
            await self._operation.look()
        except GraphmemError as error:
            if not error.retryable:  # else it is seen at the next look
                raise

    async def aclose(self) -> None:
        """Stop; again is nothing."""
        self.released()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, Exception):
                await waiting
        await self._answers.aclose()


def until_next_look() -> float:
    """Return seconds until the next look. All streams look at the same moments, so that those of
    the same viewer share one."""
    return LOOK_S - asyncio.get_running_loop().time() % LOOK_S
