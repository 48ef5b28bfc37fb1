"""`graphmem aot-cache`: makes the Java cache that makes later starts faster."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import Final

from graphmem.cli.options import settings_of
from graphmem.settings import Settings

LOOK_S: Final = 0.5  # between checks that the service is still there


def aot_cache() -> None:
    """Make Java's AOT cache, unless it exists.

    It runs a Neo4j on a temporary folder, gives way to whatever else runs, and ends with the
    process that started it."""
    from graphmem.cli.serving import run_until_stopped

    settings = settings_of()
    _lower_priority()
    run_until_stopped(lambda stops: _make_cache(settings))


def _lower_priority() -> None:
    """Give way to other processes: in processor time, and in memory if there is too little of
    it."""
    os.nice(19)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


async def _make_cache(settings: Settings) -> None:
    from graphmem.app import make_aot_cache

    follower = asyncio.create_task(_end_with(os.getppid()))
    try:
        await make_aot_cache(settings)
    finally:
        follower.cancel()


async def _end_with(parent: int) -> None:
    while os.getppid() == parent:  # noqa: ASYNC110  (it tells nobody)
        await asyncio.sleep(LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
