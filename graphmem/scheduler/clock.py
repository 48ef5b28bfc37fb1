"""Wakes this process when a job is due. It decides nothing itself: the graph does."""

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
from graphmem.services.job_runs.times import trigger_of
from graphmem.services.jobs.jobs import scheduled_jobs, start_due_jobs
from graphmem.services.reindexing import require_in_use

LOOK_S: Final = 60  # seconds between checks that don't depend on job times
FIRST_S: Final = 10  # seconds from the start to the first check for missed runs
JITTER_S: Final = 5  # spreads the checks of replicas
_DEFAULTS: Final = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
log = structlog.get_logger(__name__)


@asynccontextmanager
async def run_clock(context: Context) -> AsyncIterator[None]:
    """Check for due jobs at the time of each job, and once a minute.

    So a run whose process died is taken over, and a machine that slept catches up with missed
    runs. Nothing is started where no job runs on schedule."""
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
    """Start due jobs, and check again whenever there is room for those that had to wait."""
    try:
        await require_in_use(context.graph, context.embedder)
        while await start_due_jobs(context):
            await context.runs.wait_for_one()
    except asyncio.CancelledError:
        return  # the service ends; APScheduler would log it as a failure
    except GraphmemError as error:
        log.warning("what is due could not be read", code=error.code)
    except Exception as error:  # only its class: a driver's message may quote a note
        log.error("what is due could not be read", error=type(error).__name__)
