"""Jobs in the API: for admins, since their counts are of everybody's notes."""

from collections.abc import AsyncGenerator
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
    """One run of a job: RUNNING, DONE, FAILED or CANCELLED; `counts` as far as it has got. A run
    whose process died is FAILED until another process goes on with it."""

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
    """Something done to the whole memory; `cron` is when it is due in its time zone, and
    `nextRunAt` is null where it is run by hand only."""

    name: str
    cron: str
    time_zone: str
    description: str
    next_run_at: datetime | None
    last_run: JobRun | None


@strawberry.type
class JobQuery:
    """Reading jobs."""

    @strawberry.field
    async def jobs(self, info: Info) -> list[Job]:
        """The jobs, each with its newest run; for admins."""
        context = _for_admin(info)
        return [
            Job(
                name=job.name,
                cron=job.cron,
                time_zone=job.time_zone,
                description=job.description,
                next_run_at=jobs.next_run(context, job),
                last_run=_run_of(run) if run else None,
            )
            for job, run in await jobs.list_jobs(context.graph)
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
        """Begin to run a job now; for admins. The answer is the run as it begins; `jobRuns` and the
        subscription `jobRun` tell how it goes on. CONFLICT while it runs already."""
        return _run_of(await jobs.start_job(_for_admin(info), name))

    @strawberry.mutation
    async def cancel_run(self, info: Info, id: strawberry.ID) -> JobRun:
        """Ask a run to stop, which it does after the piece of work that it is at; for admins. What
        it has done stays. One that has ended stays as it is."""
        return _run_of(await jobs.cancel_run(_for_admin(info), id))


@strawberry.type
class JobSubscription:
    """Following jobs."""

    @strawberry.subscription
    async def job_run(self, info: Info, id: strawberry.ID) -> AsyncGenerator[JobRun, None]:
        """A run now, and again each time it has got further, until it ends; for admins."""
        async for run in jobs.follow_run(_for_admin(info), id):
            require_admin(await info.context.reopen())
            yield _run_of(run)


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
