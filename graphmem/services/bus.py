"""Wakes those who follow a stream of events."""

import asyncio
from collections import defaultdict

import structlog

from graphmem.errors import GraphmemError
from graphmem.services.shared_reads import SharedReads
from graphmem.store import events as store
from graphmem.store.graph import Graph

POLL_S = 0.25  # another replica's change is seen within half a second
LONGEST_PAUSE_S = 5.0  # between polls that fail

log = structlog.get_logger(__name__)


class EventBus:
    """Wakes the subscribers of a stream when it has grown, here or in another replica."""

    def __init__(self, graph: Graph) -> None:
        """Watch `graph` once started."""
        self.reads = SharedReads()  # reads of subscribers that are woken together
        self._graph = graph
        self._waiters: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._seen: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def subscribers(self) -> int:
        """The number of those who wait for a stream to grow."""
        return sum(map(len, self._waiters.values()))

    def signal(self, stream: str) -> None:
        """Report that this process has written to the stream."""
        for waiter in self._waiters.get(stream, ()):
            waiter.set()

    def watch(self, stream: str) -> asyncio.Event:
        """Return an event that is set whenever the stream may have grown; end it by `unwatch`."""
        waiter = asyncio.Event()
        self._waiters[stream].add(waiter)
        return waiter

    def unwatch(self, stream: str, waiter: asyncio.Event) -> None:
        """Stop waking this waiter."""
        self._waiters[stream].discard(waiter)
        if not self._waiters[stream]:
            del self._waiters[stream]
            self._seen.pop(stream, None)

    async def start(self) -> None:
        """Begin to poll for what other replicas write."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop polling."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.reads.close()

    async def _run(self) -> None:
        pause = POLL_S
        while True:
            await asyncio.sleep(pause)
            if self._waiters:
                pause = POLL_S if await self._poll_safely() else min(2 * pause, LONGEST_PAUSE_S)

    async def _poll_safely(self) -> bool:
        """Poll once; return True if that worked.

        Where waiting does not help, every subscriber is woken to read by itself: it goes on as long
        as it can read, else its client gets the error.
        """
        try:
            await self._poll()
        except GraphmemError as error:
            log.warning("events could not be read", code=error.code)
            if not error.retryable:
                self._wake_all()
        except Exception as error:  # only its type is logged: its message may hold words of a note
            log.error("events could not be read", error=type(error).__name__)
            self._wake_all()
        else:
            return True
        return False

    def _wake_all(self) -> None:
        for stream in self._waiters:
            self.signal(stream)

    async def _poll(self) -> None:
        for stream, seq in (await store.newest(self._graph, sorted(self._waiters))).items():
            if self._seen.get(stream, -1) != seq:
                self._seen[stream] = seq
                self.signal(stream)
