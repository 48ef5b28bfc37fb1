"""Starts a separate process next to a running service that makes Java's AOT cache if it is
missing."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf

from graphmem.server.aot import AotCache, tidy

_log = logging.getLogger(__name__)

COMMAND = "aot-cache"  # of graphmem
IDLE_S = 60.0  # since the start and the last caller: a run takes minutes of processor time
POLL_S = 5.0


@asynccontextmanager
async def make_cache_when_idle(
    find: Callable[[], AotCache | None], idle_s: Callable[[], float] = lambda: inf
) -> AsyncIterator[None]:
    """Make the cache that `find` returns after a while, if it is wanted, alongside the enclosed
    work; it begins when there was no caller for IDLE_S seconds, which `idle_s` counts. Errors there
    are not raised, and the end does not wait for it."""
    task = asyncio.create_task(_train_when_idle(find, idle_s))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _train_when_idle(
    find: Callable[[], AotCache | None], idle_s: Callable[[], float]
) -> None:
    await asyncio.sleep(IDLE_S)
    while idle_s() < IDLE_S:  # noqa: ASYNC110  (callers come too often to be an event)
        await asyncio.sleep(POLL_S)
    cache = find()
    if cache is None:
        return
    await asyncio.to_thread(tidy, cache)
    if not cache.is_wanted:
        return
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-m", "graphmem", COMMAND),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is for us alone
        )
    except OSError as error:
        _log.info("Java's AOT cache is not made (%s)", type(error).__name__)
        return
    try:
        await process.wait()
    finally:
        # It removes its files and ends by itself. At the lowest priority this may take a while,
        # and nobody waits for it.
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
