"""Work that ends a server when it is cancelled, and that ends with a server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from graphmem.errors import Unavailable
from graphmem.server.embedded import EmbeddedNeo4j

_T = TypeVar("_T")


async def run_cancellable(end: Callable[[], None], work: Callable[[], _T]) -> _T:
    """Run `work` in a thread and return its result; if that is cancelled, call `end` to end it, and
    ignore how it fails then."""
    doing = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.to_thread(end)
        await asyncio.wait([doing])
        if not doing.cancelled():
            doing.exception()  # retrieved, or asyncio prints it with its traceback
        raise


@asynccontextmanager
async def while_up(server: EmbeddedNeo4j) -> AsyncIterator[None]:
    """Cancel the enclosed work when the server stays down, and raise Unavailable then."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    within, ended = True, False

    def end() -> None:
        nonlocal ended
        if within:
            ended = True
            task.cancel()

    server.when_failed(lambda: loop.call_soon_threadsafe(end))
    try:
        yield
    except asyncio.CancelledError:
        if ended and task.uncancel() == 0:
            raise Unavailable(server.failure) from None
        raise
    finally:
        within = False
        server.when_failed(None)
