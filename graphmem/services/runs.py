"""The runs of jobs that go on in this process, besides the requests."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

from graphmem.domain.jobs import JobRun

log = structlog.get_logger(__name__)


class Runs:
    """The runs that go on in this process."""

    def __init__(self) -> None:
        """Start without any runs."""
        self._tasks: set[asyncio.Task[JobRun]] = set()
        self._others: set[asyncio.Task[None]] = set()

    @property
    def count(self) -> int:
        """The number of runs that go on."""
        return len(self._tasks)

    def start(self, run: Coroutine[Any, Any, JobRun]) -> None:
        """Start a run in the background."""
        task = asyncio.create_task(run)
        self._tasks.add(task)
        task.add_done_callback(self._discard)

    def start_other(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start work that is no run of a job in the background, and return its task."""
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        return task

    def _discard(self, task: asyncio.Task[JobRun]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a run could not be ended", error=type(error).__name__)

    async def wait_for_one(self) -> None:
        """Return when one of them has ended, at once when none goes on."""
        if self._tasks:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)

    async def wait_idle(self) -> None:
        """Return when none goes on."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Stop them; those of slots are left to other processes, or to this one's next start."""
        tasks: list[asyncio.Task[Any]] = [*self._tasks, *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
