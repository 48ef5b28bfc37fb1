"""Jobs: the list of jobs, the results of their runs, and running one, by hand or at its time."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

import structlog

from graphmem.domain.jobs import MAX_ATTEMPTS, Job, JobRun, JobState, RunStatus, Schedule, parse_job
from graphmem.domain.notes import BEGINNING
from graphmem.errors import Conflict, Forbidden, NotFound
from graphmem.resources import folder
from graphmem.services.backups.keeping import back_up
from graphmem.services.context import Context
from graphmem.services.expertise.indexing import update_expertise
from graphmem.services.forgetting.erasing import erase_users
from graphmem.services.job_runs.running import LEASE_S, Work, carry_out, claim_run
from graphmem.services.job_runs.times import newest_slot, next_time, slot_name
from graphmem.services.jobs.consolidation import consolidate_memory
from graphmem.services.jobs.decay import sweep_decay
from graphmem.services.jobs.digests import digest_audit
from graphmem.services.jobs.expiry import expire_notes, expire_proposals
from graphmem.services.jobs.maintenance import maintain_memory, resolve_duplicates
from graphmem.services.jobs.merging import merge_entities, merge_notes
from graphmem.services.jobs.reflection import reflect_episodes, reflect_memory
from graphmem.services.jobs.relating import relate_notes
from graphmem.services.jobs.syncing import NAME as SYNC
from graphmem.services.jobs.syncing import sync_files
from graphmem.services.jobs.tiers import move_tiers
from graphmem.services.promotion.sweeping import promote_knowledge
from graphmem.store import jobs as store
from graphmem.store.graph import Graph

WORK: Final[Mapping[str, Work]] = MappingProxyType(
    {
        "back_up": back_up,
        "consolidate_memory": consolidate_memory,
        "digest_audit": digest_audit,
        "erase_users": erase_users,
        "expire_notes": expire_notes,
        "expire_proposals": expire_proposals,
        "maintain_memory": maintain_memory,
        "merge_entities": merge_entities,
        "merge_notes": merge_notes,
        "move_tiers": move_tiers,
        "promote_knowledge": promote_knowledge,
        "reflect_episodes": reflect_episodes,
        "reflect_memory": reflect_memory,
        "relate_notes": relate_notes,
        "resolve_duplicates": resolve_duplicates,
        "sweep_decay": sweep_decay,
        "sync_files": sync_files,
        "update_expertise": update_expertise,
    }
)
OF_OPERATOR: Final = frozenset({"back_up"})  # no request runs it: all others wait for it
MAX_RUNS: Final = 500
log = structlog.get_logger(__name__)


def known_jobs() -> tuple[Job, ...]:
    """Return the jobs of this version by name."""
    files = {entry.name.removesuffix(".cypher"): entry for entry in folder("jobs").iterdir()}
    return tuple(parse_job(name, files[name].read_text(encoding="utf-8")) for name in sorted(WORK))


def scheduled_jobs(context: Context) -> tuple[Job, ...]:
    """Return the jobs that are run at their times."""
    schedule = context.schedule
    runs = (job for job in known_jobs() if _is_run(context, job.name))
    return tuple(schedule.with_own_times(job) for job in runs)


def _is_run(context: Context, job: str) -> bool:
    """Check whether a job is scheduled; without a folder there are no files to sync."""
    return context.schedule.runs(job) and (job != SYNC or context.folder is not None)


async def list_jobs(graph: Graph, schedule: Schedule) -> list[tuple[Job, JobRun | None]]:
    """List each job, with its times by a schedule, and its newest run."""
    known = [schedule.with_own_times(job) for job in known_jobs()]
    runs = await store.list_runs(graph, [job.name for job in known], 1)
    newest = {run.job: run for run in runs}
    return [(job, newest.get(job.name)) for job in known]


def next_run(context: Context, job: Job) -> datetime | None:
    """Return when a job is run next by itself; None when it is not."""
    return next_time(job, context.clock()) if _is_run(context, job.name) else None


async def list_runs(graph: Graph, name: str | None, first: int) -> list[JobRun]:
    """List the newest runs of a job, or of all, newest first. Raises NotFound."""
    names = [job.name for job in known_jobs()] if name is None else [_check_name(name)]
    return (await store.list_runs(graph, names, first))[:first]


async def run_job(
    context: Context, name: str, slot: str | None = None, *, lease_s: float = LEASE_S
) -> JobRun:
    """Run a job by hand to its end and return the run, FAILED with the cause where it failed.

    Raises NotFound, and Conflict while another run of the job goes on or when the slot had one.
    """
    run = await _begin_by_hand(context, name, slot, lease_s)
    return await carry_out(context, run, WORK[name], lease_s)


async def start_job(context: Context, name: str) -> JobRun:
    """Begin to run a job by hand in this process and return the run.

    Raises as `run_job`, and Forbidden for a job that is for whoever runs the service.
    """
    if name in OF_OPERATOR:
        raise Forbidden(f"{name} runs at its times, or by `graphmem jobs run {name}`")
    run = await _begin_by_hand(context, name, None, LEASE_S)
    context.runs.start(carry_out(context, run, WORK[name], LEASE_S))
    return run


async def _begin_by_hand(context: Context, name: str, slot: str | None, lease_s: float) -> JobRun:
    run = await claim_run(context, _check_name(name), None, slot, lease_s)
    if run is None:
        raise Conflict(f"{name} is running already")
    return run


async def cancel_run(context: Context, run_id: str) -> JobRun:
    """Ask a run to stop after its present piece of work; returns the run as it is now.

    A run that has ended does not change. Raises NotFound.
    """
    await store.cancel(context.graph, run_id)
    return await require_run(context, run_id)


async def require_run(context: Context, run_id: str) -> JobRun:
    """Return a run. Raises NotFound."""
    found = await store.get_run(context.graph, run_id)
    if found is None:
        raise NotFound("no such run")
    return found


async def follow_run(context: Context, run_id: str) -> AsyncGenerator[JobRun]:
    """Yield a run, and again whenever it has got further, until it has ended.

    The run may be in any process. Raises NotFound.
    """
    waiter = context.bus.watch(store.STREAM)
    try:
        seen = None
        while True:
            waiter.clear()
            run = await require_run(context, run_id)
            if run != seen:
                yield run
            if run.status is not RunStatus.RUNNING:
                return
            seen = run
            await waiter.wait()
    finally:
        context.bus.unwatch(store.STREAM, waiter)


async def start_due_jobs(context: Context, *, ahead: timedelta = timedelta()) -> list[JobRun]:
    """Start what is due by the clock of the database, as far as this process has room for it.

    Returns the runs that it began. What has not been due for longest comes first. Each slot has one
    run, whichever process starts it; missed slots are caught up by one run, that of the newest
    slot. `ahead` moves the time, for tests.
    """
    known = {job.name: job for job in scheduled_jobs(context)}
    begun = []
    every = await store.due(context.graph, sorted(known))
    for due in sorted(every, key=lambda each: each.newest or BEGINNING):
        if context.runs.count >= context.schedule.at_once:
            break
        run = await _begin_due(context, known[due.job], replace(due, now=due.now + ahead))
        if run is not None:
            begun.append(run)
            context.runs.start(carry_out(context, run, WORK[run.job], LEASE_S))
    return begun


async def _begin_due(context: Context, job: Job, due: JobState) -> JobRun | None:
    if not due.free:
        return None
    if due.left is not None and due.attempts < MAX_ATTEMPTS:
        fence = await store.take_over(context.graph, due.left, LEASE_S)
        log.info("a run is taken over", job=job.name, slot=due.left.slot)
        return None if fence is None else replace(due.left, fence=fence)
    slot = newest_slot(job, due.now)
    if slot is None or (due.newest is not None and slot <= due.newest):
        return None
    try:
        return await claim_run(context, job.name, slot, slot_name(slot), LEASE_S)
    except Conflict:  # another process was quicker
        return None


def _check_name(name: str) -> str:
    if name not in WORK:
        raise NotFound("no such job")
    return name
