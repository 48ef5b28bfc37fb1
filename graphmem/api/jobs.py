"""Jobs in the API: for admins, since their counts are of everybody's notes."""

from datetime import datetime

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.scalars import JSON
from graphmem.operations.commands.jobs import ListJobRuns, ListJobs, RunJob


@strawberry.type
class JobRun:
    """One run of a job: RUNNING, DONE or FAILED."""

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
    """Something done to the whole memory; `cron` is how often it is meant to run."""

    name: str
    cron: str
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
