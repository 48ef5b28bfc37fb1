"""Jobs: for admins, since their counts are of everybody's notes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.fields import Between, Id
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.jobs import Job, JobRun, jobs_of, run_of
from graphmem.services.actors import require_admin
from graphmem.services.jobs import jobs


@dataclass(frozen=True, kw_only=True)
class ListJobs(Command[list[Job]]):
    """The jobs, each with its newest run; for admins."""

    async def run(self, operation: Operation) -> list[Job]:
        """Read them."""
        require_admin(operation.access)
        service = operation.service
        return jobs_of(await jobs.list_jobs(service.graph, service.schedule), service)


@dataclass(frozen=True, kw_only=True)
class ListJobRuns(Command[list[JobRun]]):
    """The newest runs of a job, or of all, newest first; for admins."""

    job: str | None = None
    first: Annotated[int, Between(1, jobs.MAX_RUNS)] = 20

    async def run(self, operation: Operation) -> list[JobRun]:
        """Read them."""
        require_admin(operation.access)
        found = await jobs.list_runs(operation.service.graph, self.job, self.first)
        return [run_of(run) for run in found]


@dataclass(frozen=True, kw_only=True)
class RunJob(Change[JobRun]):
    """Start a job now; for admins. The answer is the run as it begins; `jobRuns` and the
    subscription `jobRun` report its progress. CONFLICT if it is already running."""

    name: str

    async def run(self, operation: Operation) -> JobRun:
        """Begin."""
        require_admin(operation.access)
        return run_of(await jobs.start_job(operation.service, self.name))


@dataclass(frozen=True, kw_only=True)
class CancelRun(Change[JobRun]):
    """Ask a run to stop, which it does after its present piece of work; for admins. What it has
    done stays. A run that has ended is left alone."""

    id: Id

    async def run(self, operation: Operation) -> JobRun:
        """Ask it to stop."""
        require_admin(operation.access)
        return run_of(await jobs.cancel_run(operation.service, self.id))


@dataclass(frozen=True, kw_only=True)
class FollowRun(Command[AsyncGenerator[JobRun]]):
    """The state of a run now, and again each time it has made progress, until it ends; for
    admins."""

    id: Id

    async def run(self, operation: Operation) -> AsyncGenerator[JobRun]:
        """Begin to follow; whoever takes the runs closes the generator."""
        require_admin(operation.access)
        return self._follow(operation)

    async def _follow(self, operation: Operation) -> AsyncGenerator[JobRun]:
        async with aclosing(jobs.follow_run(operation.service, self.id)) as runs:
            async for run in runs:
                require_admin(await operation.reopen())
                yield run_of(run)
