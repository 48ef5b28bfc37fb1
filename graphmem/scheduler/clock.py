"""Wakes this process when a job is due. It decides nothing: the graph does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from graphmem.errors import GraphmemError
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import look, scheduled_jobs
from graphmem.services.jobs.times import trigger_of

LOOK_S: Final = 60  # between looks beside the times of the jobs
FIRST_S: Final = 10  # after the start: what was missed meanwhile, when the first callers are served
JITTER_S: Final = 5  # so that replicas don't look all at once
_DEFAULTS: Final = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
log = structlog.get_logger(__name__)


@asynccontextmanager
async def ticking(context: Context) -> AsyncIterator[None]:
    """Look for what is due at the time of each job, and once a minute: a run whose process died is
    taken over, and what a sleeping machine has missed is caught up with. Nothing is started where
    no job is run by itself."""
    jobs = scheduled_jobs(context)
    if not jobs:
        yield
        return
    scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=_DEFAULTS)
    for job in jobs:
        trigger = trigger_of(job, jitter_s=JITTER_S)
        scheduler.add_job(_look, trigger, [context], id=job.name)
    first = datetime.now(UTC) + timedelta(seconds=FIRST_S)
    every = IntervalTrigger(seconds=LOOK_S, jitter=JITTER_S, timezone=UTC)
    scheduler.add_job(_look, every, [context], id="look", next_run_time=first)
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)


async def _look(context: Context) -> None:
    """Look, and look again when there is room for what had to wait."""
    try:
        while await look(context):
            await context.runs.wait_for_one()
    except asyncio.CancelledError:
        return  # the service ends; APScheduler would tell of it as of a failure, with a traceback
    except GraphmemError as error:
        log.warning("what is due could not be read", code=error.code)
    except Exception as error:  # its kind alone: a driver's words may be those of a note
        log.error("what is due could not be read", error=type(error).__name__)
