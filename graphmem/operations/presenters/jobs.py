"""Jobs with their newest runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import jobs as domain
from graphmem.domain.jobs import JobRun


@dataclass(frozen=True, kw_only=True)
class Job:
    """Something done to the whole memory; `cron` is how often it is meant to run."""

    name: str
    cron: str
    description: str
    next_run_at: datetime | None
    last_run: JobRun | None


def jobs_of(found: Sequence[tuple[domain.Job, JobRun | None]]) -> list[Job]:
    """Jobs, each with its newest run."""
    return [
        Job(
            name=job.name,
            cron=job.cron,
            description=job.description,
            next_run_at=None,
            last_run=run,
        )
        for job, run in found
    ]
