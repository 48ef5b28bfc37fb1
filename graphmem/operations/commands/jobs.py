"""Jobs: for admins, since their counts are of everybody's notes."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.jobs import JobRun
from graphmem.operations.command import Change, Command
from graphmem.operations.fields import Between
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.jobs import Job, jobs_of
from graphmem.services.actors import require_admin
from graphmem.services.jobs import jobs


@dataclass(frozen=True, kw_only=True)
class ListJobs(Command[list[Job]]):
    """The jobs, each with its newest run; for admins."""

    async def run(self, operation: Operation) -> list[Job]:
        """Read them."""
        require_admin(operation.access)
        return jobs_of(await jobs.list_jobs(operation.service.graph))


@dataclass(frozen=True, kw_only=True)
class ListJobRuns(Command[list[JobRun]]):
    """The newest runs of a job, or of all, newest first; for admins."""

    job: str | None = None
    first: Annotated[int, Between(1, jobs.MAX_RUNS)] = 20

    async def run(self, operation: Operation) -> list[JobRun]:
        """Read them."""
        require_admin(operation.access)
        return await jobs.list_runs(operation.service.graph, self.job, self.first)


@dataclass(frozen=True, kw_only=True)
class RunJob(Change[JobRun]):
    """Run a job now; for admins. CONFLICT while it runs already."""

    name: str

    async def run(self, operation: Operation) -> JobRun:
        """Run it."""
        require_admin(operation.access)
        return await jobs.run_job(operation.service, self.name)
