"""Jobs: what there is, how their runs went, and running one.

A run is claimed in the graph: of one slot there is one run, and of one job there is one run at a
time, which holds a lease for as long as it says that it lives."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from traceback import extract_tb
from types import MappingProxyType
from typing import Final

import structlog

from graphmem.domain.ids import uuid7
from graphmem.domain.jobs import Job, JobRun, RunStatus, parse_job
from graphmem.errors import Conflict, GraphmemError, NotFound
from graphmem.resources import folder
from graphmem.services.context import Context
from graphmem.services.jobs.maintenance import maintain_memory
from graphmem.store import jobs as store
from graphmem.store.graph import Graph

Work = Callable[[Context, Callable[[], Awaitable[None]]], Awaitable[Mapping[str, int]]]
WORK: Final[Mapping[str, Work]] = MappingProxyType({"maintain_memory": maintain_memory})
LEASE_S: Final = 120.0  # longer than any one step of a job takes
MAX_RUNS: Final = 500
_STOPPED = "it was stopped before it was done"
_UNEXPECTED = "it failed unexpectedly; the log of the service tells where"
log = structlog.get_logger(__name__)


def known_jobs() -> tuple[Job, ...]:
    """The jobs of this version by name."""
    files = {entry.name.removesuffix(".cypher"): entry for entry in folder("jobs").iterdir()}
    return tuple(parse_job(name, files[name].read_text(encoding="utf-8")) for name in sorted(WORK))


async def list_jobs(graph: Graph) -> list[tuple[Job, JobRun | None]]:
    """Each job with its newest run."""
    known = known_jobs()
    runs = await store.list_runs(graph, [job.name for job in known], 1)
    newest = {run.job: run for run in runs}
    return [(job, newest.get(job.name)) for job in known]


async def list_runs(graph: Graph, name: str | None, first: int) -> list[JobRun]:
    """The newest runs of a job, or of all, newest first. Raises NotFound."""
    names = [job.name for job in known_jobs()] if name is None else [_known(name)]
    return (await store.list_runs(graph, names, first))[:first]


async def run_job(
    context: Context, name: str, slot: str | None = None, *, lease_s: float = LEASE_S
) -> JobRun:
    """Run a job for a slot, by hand for one of its own; the run as it ended. A job that fails gives
    a run that is FAILED and says why. Raises NotFound, and Conflict while another run of the job
    goes on or when the slot had its run."""
    now = context.clock()
    run_id = uuid7(now)
    run = JobRun(id=run_id, job=_known(name), slot=slot or f"by hand {run_id}", started_at=now)
    if not await store.claim(context.graph, run, lease_s):
        raise Conflict(f"{name} is running already")
    try:
        done = await _work(context, run, lease_s)
    except asyncio.CancelledError:
        stopped = replace(run, status=RunStatus.FAILED, error=_STOPPED)
        await asyncio.shield(_finish(context, stopped))
        raise
    return await _finish(context, done)


async def _work(context: Context, run: JobRun, lease_s: float) -> JobRun:
    async def beat() -> None:
        if not await store.keep_lease(context.graph, run, lease_s):
            raise Conflict("another run of the job took over")

    try:
        counts = await WORK[run.job](context, beat)
    except GraphmemError as error:
        return replace(run, status=RunStatus.FAILED, error=error.message)
    except Exception as error:
        # Its kind and place alone: the words of a driver's error may be those of a note.
        where = extract_tb(error.__traceback__)[-1]
        place = f"{where.filename}:{where.lineno}"
        log.error("job failed", job=run.job, error=type(error).__name__, place=place)
        return replace(run, status=RunStatus.FAILED, error=_UNEXPECTED)
    return replace(run, status=RunStatus.DONE, counts=counts)


async def _finish(context: Context, run: JobRun) -> JobRun:
    ended = replace(run, finished_at=context.clock())
    await store.finish(context.graph, ended)
    return ended


def _known(name: str) -> str:
    if name not in WORK:
        raise NotFound("no such job")
    return name
