"""Jobs in the API: for admins, since their counts are of everybody's notes."""

from datetime import datetime

import strawberry

from graphmem.api.fields import mutation_of, query_of, subscription_of
from graphmem.api.scalars import JSON
from graphmem.operations.commands.jobs import CancelRun, FollowRun, ListJobRuns, ListJobs, RunJob


@strawberry.type
class JobRun:
    """One run of a job: RUNNING, DONE, FAILED or CANCELLED; `counts` so far. A run whose process
    died is FAILED until another process continues it."""

    id: strawberry.ID
    job: str
    slot: str
    started_at: datetime
    finished_at: datetime | None
    status: str
    counts: JSON
    error: str | None


@strawberry.type
class Job:
    """A periodic task on the whole memory; `cron` says when it is due in its time zone, and
    `nextRunAt` is null if it is only run by hand."""

    name: str
    cron: str
    time_zone: str
    description: str
    next_run_at: datetime | None
    last_run: JobRun | None


@strawberry.type
class JobQuery:
    """Reading jobs."""

    jobs = query_of(ListJobs, list[Job])
    job_runs = query_of(ListJobRuns, list[JobRun])


@strawberry.type
class JobMutation:
    """Running jobs."""

    run_job = mutation_of(RunJob, JobRun)
    cancel_run = mutation_of(CancelRun, JobRun)


@strawberry.type
class JobSubscription:
    """Following jobs."""

    job_run = subscription_of(FollowRun, JobRun)
