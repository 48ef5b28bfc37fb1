"""The worker of the queue of notes that wait for an LLM.

The queue is stored in the graph, and no answer waits for it.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING

import structlog

from graphmem.domain.notes import Note
from graphmem.errors import GraphmemError
from graphmem.services.context import Context
from graphmem.services.refinement.refining import refine_note
from graphmem.services.writing.refinement_queue import Task, to_task
from graphmem.store.refining import claim, find_pending, release

if TYPE_CHECKING:  # slow to import, and most have no LLM
    from graphmem.ai.llm import Llm

WORKERS = 2  # notes at once
MAX_EXPECTED = 1_000  # notes of this process that are watched until they are done
BATCH = 10  # notes read at once
TRIES = 3  # attempts for a note that end with its process, or without the database
# Added to the LLM's own time; after that, a note that a process took waits again.
LEASE_S = 60.0
POLL_S = 30.0  # between reads of what other processes left
RESTING_S = 1.0  # between checks whether the LLM still rests
DRAIN_S = 5.0  # time that a stop gives the notes of this process

log = structlog.get_logger(__name__)


class Refiner:
    """Refines the notes that wait in the graph.

    Users take turns, so that nobody waits for all the notes of another, and each user's oldest note
    comes first. With `wait_s` a writer waits so long for its own notes.

    Any number of processes can do so side by side: each takes a note for a while before it asks.
    What is not done when the service stops waits for the next start.
    """

    def __init__(
        self,
        context: Context,
        llm: "Llm",
        *,
        wait_s: float = 0.0,
        workers: int = WORKERS,
        drain_s: float = DRAIN_S,
    ) -> None:
        self._context = context
        self._llm = llm
        self._wait_s = wait_s
        self._workers = workers
        self._drain_s = drain_s
        self._lease = timedelta(seconds=llm.timeout_s + LEASE_S)
        self._expected: dict[str, asyncio.Future[Note | None]] = {}
        self._claimed: set[str] = set()  # taken by this process
        self._taking = asyncio.Lock()
        self._last_served = token_hex(4)  # the user who had the last turn; any at first
        self._wake, self._idle = asyncio.Event(), asyncio.Event()
        self._running: list[asyncio.Task[None]] = []
        self._closed = False

    async def start(self) -> None:
        """Begin to refine, with what an earlier process left."""
        self._running = [asyncio.create_task(self._run()) for _ in range(self._workers)]

    async def submit(self, notes: Sequence[str]) -> list[Note | None]:
        """Accept notes that were written and wait in the graph.

        Returns for each the refined note if it was done in time, else None; it is then done later.
        """
        futures = [self._expect(note) for note in notes]
        self._idle.clear()
        self._wake.set()
        pending = [future for future in futures if future is not None]
        if pending and self._wait_s > 0 and not self._llm.resting:
            await asyncio.wait(pending, timeout=self._wait_s)
        return [future.result() if future and future.done() else None for future in futures]

    def _expect(self, note: str) -> "asyncio.Future[Note | None] | None":
        if self._closed or len(self._expected) >= MAX_EXPECTED:
            return None
        future: asyncio.Future[Note | None] = asyncio.get_running_loop().create_future()
        self._expected[note] = future
        return future

    async def drain(self) -> None:
        """Wait until nothing waits."""
        await self._idle.wait()

    async def close(self) -> None:
        """Refine what this process wrote and can refine in a few seconds; the rest waits."""
        self._closed = True
        if self._running and self._expected:
            await asyncio.wait(self._expected.values(), timeout=self._drain_s)
        for running in self._running:
            running.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        if self._expected:
            log.info("notes wait for the LLM until the next start", pending=len(self._expected))
        claimed, self._claimed = self._claimed, set()
        self._forget(list(self._expected))
        if claimed:
            with suppress(GraphmemError):  # otherwise their time has to end first
                await release(self._context.graph, list(claimed), self._context.clock())
        await self._llm.close()

    def _forget(self, notes: Iterable[str]) -> None:
        """Stop expecting these notes, unless they are worked on."""
        for note in notes:
            if note not in self._claimed:
                self._finish(note, None)

    def _finish(self, note: str, refined: Note | None) -> None:
        self._claimed.discard(note)
        future = self._expected.pop(note, None)
        if future is not None and not future.done():
            future.set_result(refined)

    async def _run(self) -> None:
        while True:
            task = await self._next_task()
            note = None
            try:
                note = await refine_note(self._context, self._llm, task)
            except GraphmemError as error:
                log.warning("a note could not be refined", note=task.note, code=error.code)
            except Exception as error:  # a bug must not end the queue; its message may hold a text
                log.error("a note could not be refined", note=task.note, kind=type(error).__name__)
            self._finish(task.note, note)  # not after a cancel: then it is released
            self._wake.set()

    async def _next_task(self) -> Task:
        """Wait for the next task and return it."""
        async with self._taking:
            while True:
                self._wake.clear()
                pause = POLL_S
                if self._llm.resting:
                    self._forget(list(self._expected))
                    pause = RESTING_S
                else:
                    try:
                        task = await self._take()
                    except Exception as error:
                        log.warning("pending notes can't be read", kind=type(error).__name__)
                        task = None
                        pause = RESTING_S
                    if task is not None:
                        return task
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):  # wait_for may swallow a cancel
                        await self._wake.wait()

    async def _take(self) -> Task | None:
        """Take the note of the next user that has waited longest; None when nothing waits."""
        graph, now = self._context.graph, self._context.clock()
        expected = list(self._expected)
        pending = await self._find_pending(now)
        for note, user in pending:
            self._claimed.add(note)  # before it is taken, so that a stop releases it
            self._last_served = user  # also if it can't be taken
            kept = None
            try:
                kept = await claim(graph, note, now=now, until=now + self._lease, most=TRIES)
            finally:
                if kept is None and not self._closed:
                    self._claimed.discard(note)
            if kept is not None:
                self._idle.clear()
                return to_task(note, kept)
        if pending:
            self._wake.set()  # others were faster; there may be more
            return None
        self._forget(expected)  # they are done, or others have them
        if not self._claimed and not self._wake.is_set():  # otherwise more came while this read ran
            self._idle.set()
        return None

    async def _find_pending(self, now: datetime) -> list[tuple[str, str]]:
        """Find some notes that wait, beginning with those of the next user.

        They begin with those of the first user when all have had their turn.
        """
        for after in dict.fromkeys((self._last_served, "")):
            found = await find_pending(self._context.graph, now, BATCH, after=after)
            if pending := [each for each in found if each[0] not in self._claimed]:
                return pending
        return []
