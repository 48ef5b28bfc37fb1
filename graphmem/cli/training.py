"""`graphmem aot-cache`: makes the Java cache that makes later starts faster."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import Final

from graphmem.cli.options import settings_of
from graphmem.settings import Settings

PRACTICE_S: Final = 1800.0  # for a training run, which gives way to everything else
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
    follower = asyncio.create_task(_end_with(os.getppid()))
    try:
        await _train(settings)
    finally:
        follower.cancel()


async def _train(settings: Settings) -> None:
    """Make Java's AOT cache with a Neo4j on a temporary folder, on which the service's operations
    are practised. Raises Misconfigured, Unavailable, OSError."""
    from graphmem.ai.embedders import create_embedder
    from graphmem.app import connect_context
    from graphmem.server import TrainingRun
    from graphmem.server.lifetimes import run_cancellable
    from graphmem.warming import practise

    plain = settings.model_copy(update={"llm_url": None, "llm_model": None, "extractor": "rules"})
    run = TrainingRun(
        settings.cache,
        heap=settings.neo4j_heap,
        neo4j_home=settings.neo4j_home,
        java_home=settings.java_home,
    )
    try:
        if (address := await run_cancellable(run.kill, run.start)) is None:
            return
        embedder = create_embedder("hash")
        async with asyncio.timeout(PRACTICE_S), connect_context(plain, embedder, address) as made:
            await practise(made)
        await run_cancellable(run.kill, run.finish)
    except Exception:
        run.give_up()
        raise
    finally:
        await asyncio.to_thread(run.close)


async def _end_with(parent: int) -> None:
    while os.getppid() == parent:  # noqa: ASYNC110  (it tells nobody)
        await asyncio.sleep(LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
