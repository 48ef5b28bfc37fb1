"""The service behind a lasting connection: opened once, and again when it no longer answers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Final

import structlog

from graphmem.errors import GraphmemError
from graphmem.operations.operation import Service

WATCH_S: Final = 30.0  # between two checks that it still answers
ANSWER_S: Final = 10.0  # seconds that an answer may take

log = structlog.get_logger("graphmem.mcp")
Opening = Callable[[], AbstractAsyncContextManager[Service]]
Alive = Callable[[Service], Awaitable[None]]


class ReconnectingService:
    """A service for calls, which wait while it opens; it is opened again when it does not
    answer."""

    def __init__(self, opening: Opening, alive: Alive, watch_s: float = WATCH_S) -> None:
        """Prepare the connection; `alive` raises when the service does not answer. Needs a running
        event loop."""
        self._opening, self._alive, self._watch_s = opening, alive, watch_s
        self._ready: asyncio.Future[Service] = asyncio.Future()
        self._stop = asyncio.Event()

    async def service(self) -> Service:
        """Return the service, as soon as it is open."""
        return await asyncio.shield(self._ready)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator["asyncio.Task[None]"]:
        """Keep the service open inside the context. The task ends early, with the error, when it
        can't be opened the first time."""
        running = asyncio.create_task(self._keep_open())
        try:
            yield running
        finally:
            self._stop.set()
            if not self._ready.done():
                running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def _keep_open(self) -> None:
        first = True
        while not self._stop.is_set():
            try:
                async with self._opening() as service:
                    self._ready.set_result(service)
                    first = False
                    await self._watch(service)
                    self._ready = asyncio.Future()
            except GraphmemError as error:
                if first:
                    raise
                if self._ready.done():  # it ended by itself
                    self._ready = asyncio.Future()
                log.warning("the service can't be opened again", code=error.code)
                await self._wait()

    async def _watch(self, service: Service) -> None:
        """Check the service periodically, until it no longer answers."""
        while not await self._wait():
            try:
                async with asyncio.timeout(ANSWER_S):
                    await self._alive(service)
            except (GraphmemError, TimeoutError):
                log.warning("the service does not answer; it is opened again")
                return

    async def _wait(self) -> bool:
        """Wait until the next check; return True if the service is to stop."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), self._watch_s)
        return self._stop.is_set()
