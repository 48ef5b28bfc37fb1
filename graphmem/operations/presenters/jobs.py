"""Jobs with their newest runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import jobs as domain
from graphmem.domain.jobs import JobRun
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import next_run


@dataclass(frozen=True, kw_only=True)
class Job:
    """Something done to the whole memory; `cron` is when it is due in its time zone."""

    name: str
    cron: str
    time_zone: str
    description: str
    next_run_at: datetime | None
    last_run: JobRun | None


def jobs_of(found: Sequence[tuple[domain.Job, JobRun | None]], context: Context) -> list[Job]:
    """Jobs, each with its newest run, and its next one if it is run at its times."""
    return [
        Job(
            name=job.name,
            cron=job.cron,
            time_zone=job.time_zone,
            description=job.description,
            next_run_at=next_run(context, job),
            last_run=run,
        )
        for job, run in found
    ]
