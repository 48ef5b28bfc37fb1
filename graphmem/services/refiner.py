"""The queue of notes that wait for an LLM: bounded, and off the way of every answer."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from graphmem.domain.notes import Note
from graphmem.errors import GraphmemError
from graphmem.services.context import Context
from graphmem.services.refining import Task, refine_note

if TYPE_CHECKING:  # slow to import, and most have no LLM
    from graphmem.ai.llm import Llm

WORKERS = 2  # notes at once
MAX_WAITING = 1_000
DRAIN_S = 5.0  # what a stop gives those that wait

log = structlog.get_logger(__name__)

_Waiting = tuple[Task, "asyncio.Future[Note | None]"]


class Refiner:
    """Refines notes in the background; with `wait_s` a writer waits so long for its own notes.

    A note that finds no place, or is not done when the service stops, keeps what the rules made."""

    def __init__(
        self,
        context: Context,
        llm: "Llm",
        *,
        wait_s: float = 0.0,
        workers: int = WORKERS,
        most_waiting: int = MAX_WAITING,
        drain_s: float = DRAIN_S,
    ) -> None:
        self._context = context
        self._llm = llm
        self._wait_s = wait_s
        self._workers = workers
        self._drain_s = drain_s
        self._queue: asyncio.Queue[_Waiting] = asyncio.Queue(most_waiting)
        self._running: list[asyncio.Task[None]] = []
        self._closed = False

    async def start(self) -> None:
        """Begin to refine."""
        self._running = [asyncio.create_task(self._run()) for _ in range(self._workers)]

    async def submit(self, tasks: Sequence[Task]) -> list[Note | None]:
        """Take tasks. For each the refined note if it was done in time, else None; it is then
        done later."""
        futures = [self._put(task) for task in tasks]
        waiting = [future for future in futures if future is not None]
        if len(waiting) < len(tasks):
            log.warning("too many notes wait for the LLM", dropped=len(tasks) - len(waiting))
        if waiting and self._wait_s > 0:
            await asyncio.wait(waiting, timeout=self._wait_s)
        return [future.result() if future and future.done() else None for future in futures]

    def _put(self, task: Task) -> "asyncio.Future[Note | None] | None":
        future: asyncio.Future[Note | None] = asyncio.get_running_loop().create_future()
        try:
            if self._closed:
                return None
            self._queue.put_nowait((task, future))
        except asyncio.QueueFull:
            return None
        return future

    async def drain(self) -> None:
        """Wait until nothing waits."""
        await self._queue.join()

    async def close(self) -> None:
        """Refine what can be refined in a few seconds, and drop the rest."""
        self._closed = True
        try:
            async with asyncio.timeout(self._drain_s if self._running else 0):
                await self._queue.join()
        except TimeoutError:
            log.warning("notes were left as the rules made them", waiting=self._queue.qsize())
        for running in self._running:
            running.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        while not self._queue.empty():
            _, future = self._queue.get_nowait()
            future.set_result(None)
            self._queue.task_done()
        await self._llm.close()

    async def _run(self) -> None:
        while True:
            task, future = await self._queue.get()
            note = None
            try:
                note = await refine_note(self._context, self._llm, task)
            except GraphmemError as error:
                log.warning("a note could not be refined", note=task.note, code=error.code)
            except Exception as error:  # a bug must not end the queue; its words may hold a text
                log.error("a note could not be refined", note=task.note, kind=type(error).__name__)
            finally:
                future.set_result(note)
                self._queue.task_done()
