"""Has Java's AOT cache made beside a running service, where it is missing, by a process apart."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from graphmem.server.aot import AotCache, tidy

_log = logging.getLogger(__name__)

COMMAND = "aot-cache"  # of graphmem
AFTER_S = 60.0  # the service gets ready first, and answers its first callers


@asynccontextmanager
async def trained(find: Callable[[], AotCache | None]) -> AsyncIterator[None]:
    """Make the cache that is found after a while, if it is wanted, beside what is done within.
    Nothing that goes wrong there is raised, and the end does not wait for it."""
    task = asyncio.create_task(_train(find))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _train(find: Callable[[], AotCache | None]) -> None:
    await asyncio.sleep(AFTER_S)
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
        # It removes its files and ends by itself; with the least priority that may take a while,
        # for which nobody waits.
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
