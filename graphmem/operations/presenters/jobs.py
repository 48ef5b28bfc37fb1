"""Jobs with their newest runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import jobs as domain
from graphmem.domain.jobs import RunStatus
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import next_run


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """One run of a job: RUNNING, DONE, FAILED or CANCELLED; `counts` so far. A run whose process
    died is FAILED until another process continues it."""

    id: str
    job: str
    slot: str
    started_at: datetime
    finished_at: datetime | None
    status: RunStatus
    counts: Mapping[str, int]
    error: str | None


@dataclass(frozen=True, kw_only=True)
class Job:
    """A periodic task on the whole memory; `cron` says when it is due in its time zone, and
    `nextRunAt` is null if it is only run by hand."""

    name: str
    cron: str
    time_zone: str
    description: str
    next_run_at: datetime | None
    last_run: JobRun | None


def run_of(run: domain.JobRun) -> JobRun:
    """Return a run."""
    return JobRun(
        id=run.id,
        job=run.job,
        slot=run.slot,
        started_at=run.started_at,
        finished_at=run.finished_at,
        status=run.status,
        counts=run.counts,
        error=run.error,
    )


def jobs_of(
    found: Sequence[tuple[domain.Job, domain.JobRun | None]], context: Context
) -> list[Job]:
    """Return jobs, each with its newest run, and its next one if it runs on a schedule."""
    return [
        Job(
            name=job.name,
            cron=job.cron,
            time_zone=job.time_zone,
            description=job.description,
            next_run_at=next_run(context, job),
            last_run=run_of(run) if run else None,
        )
        for job, run in found
    ]
