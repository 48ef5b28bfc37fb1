"""Jobs in the API: for admins, since their counts are of everybody's notes."""

from datetime import datetime

import strawberry

from graphmem.api import inputs
from graphmem.api.context import Info
from graphmem.api.scalars import JSON
from graphmem.domain import jobs as domain
from graphmem.services.actors import require_admin
from graphmem.services.context import Context
from graphmem.services.jobs import jobs


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

    @strawberry.field
    async def jobs(self, info: Info) -> list[Job]:
        """The jobs, each with its newest run; for admins."""
        return [
            Job(
                name=job.name,
                cron=job.cron,
                description=job.description,
                next_run_at=None,
                last_run=_run_of(run) if run else None,
            )
            for job, run in await jobs.list_jobs(_for_admin(info).graph)
        ]

    @strawberry.field
    async def job_runs(
        self, info: Info, job: str | None = None, first: int | None = 20
    ) -> list[JobRun]:
        """The newest runs of a job, or of all, newest first; for admins."""
        graph = _for_admin(info).graph
        found = await jobs.list_runs(graph, job, inputs.or_default(first, 20))
        return [_run_of(run) for run in found]


@strawberry.type
class JobMutation:
    """Running jobs."""

    @strawberry.mutation
    async def run_job(self, info: Info, name: str) -> JobRun:
        """Run a job now; for admins. CONFLICT while it runs already."""
        done = await jobs.run_job(_for_admin(info), name)
        return _run_of(done)


def _for_admin(info: Info) -> Context:
    require_admin(info.context.access)
    return info.context.service


def _run_of(run: domain.JobRun) -> JobRun:
    return JobRun(
        id=strawberry.ID(run.id),
        job=run.job,
        slot=run.slot,
        started_at=run.started_at,
        finished_at=run.finished_at,
        status=run.status,
        counts=JSON(dict(run.counts)),
        error=run.error,
    )
