"""Runs of jobs: one at a time of each job, one for each slot, and none lost by a crash.

A run is claimed in the graph: it holds a lease for as long as it reports that it lives, with a
number (the fence) that changes with each process which takes it. Only database time counts for a
lease.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from graphmem.domain.ids import uuid7
from graphmem.domain.jobs import SKIPPED, JobRun, RunStatus
from graphmem.domain.owners import Owner
from graphmem.errors import GraphmemError
from graphmem.services.context import Context
from graphmem.services.job_runs.failure_isolation import (
    ABOUT_THE_RUN,
    GONE,
    Cancelled,
    FailureIsolation,
    TakenOver,
    describe_error,
)
from graphmem.services.job_runs.pace import Pace
from graphmem.store import jobs as store
from graphmem.store.graph import Graph

LEASE_S: Final = 120.0  # longer than any one step of a job takes
EVERY_S: Final = 1.0  # shortest time between two renewals of the lease within a place
KEPT: Final = timedelta(days=90)  # age up to which runs are kept
_STOPPED = "it was stopped before it was done"
_CANCELLED = "it was cancelled"
_UNEXPECTED = "it failed unexpectedly; the log of the service says where"
_OF_USERS = "it failed for some users ({}), and did the others; the log of the service says where"
_OF_ROWS = (
    "it failed for some users' rows ({}), and did the others; the log of the service says where"
)
log = structlog.get_logger(__name__)


class JobHeartbeat(FailureIsolation):
    """The heartbeat of a run: after each piece of work it renews the lease and stores the place."""

    def __init__(self, context: Context, run: JobRun, lease_s: float) -> None:
        """Continue a run."""
        super().__init__(run.job)
        self._context, self._run, self._lease_s = context, run, lease_s
        self.place = run.place or ""  # place where an abandoned run continues; empty: it begins
        self.by_hand = run.slot_at is None
        self.started_at = run.started_at  # of the run, whichever process began it
        self.counts.update(run.counts)  # up to that place; the job counts on
        self.pace = Pace(context.callers)
        self.failed = 0  # users whose memory could not be processed
        self._kept_s = float("-inf")  # time of the last renewal of the lease

    async def checkpoint(self, place: str | None = None, *, of: str | None = None) -> None:
        """Renew the lease; with a place, which is never empty, store it and the counts up to it.

        `of`: the name of the owner whom the place names. Raises Conflict when another process has
        the lease, Cancelled when the run is to stop.
        """
        now = time.monotonic()
        if place is None and now - self._kept_s < EVERY_S:
            return
        self._kept_s = now
        run, graph = self._run, self._context.graph
        counts = None if place is None else self.counts
        named = None if of is None or Owner.named(of).is_team else of
        stop = await store.keep_lease(graph, run, self._lease_s, counts, place, named)
        if stop is None:
            raise TakenOver("another run of the job took over")
        self._context.signal(store.STREAM)
        if stop:
            raise Cancelled(_CANCELLED)

    @property
    def graph(self) -> Graph:
        """The graph without the pace of a job, for what others wait for."""
        return self._context.graph

    async def hold(self, seconds: float) -> None:
        """Keep the lease for a step that takes longer than others and can't renew it. Raises
        Conflict when another process has the lease."""
        if await store.keep_lease(self._context.graph, self._run, seconds) is None:
            raise TakenOver("another run of the job took over")

    @contextmanager
    def isolate_user(self) -> Iterator[None]:
        """Run a part of the work that is about one user, and keep its failure apart.

        What goes wrong in it ends that part alone, so that the others have their turn, and the run
        has failed in the end. Raises what is not about the user: that another process has taken
        over, that the run is to stop, and Unavailable. A user who is erased meanwhile does not
        count as a failure.
        """
        try:
            yield
        except ABOUT_THE_RUN:
            raise
        except GONE:
            return
        except Exception as error:
            self.failed += 1
            log.error("job failed", **describe_error(self.job, error))


Work = Callable[[Context, JobHeartbeat], Awaitable[Mapping[str, int]]]


async def claim_run(
    context: Context, name: str, slot_at: datetime | None, slot: str | None, lease_s: float
) -> JobRun | None:
    """Claim a run for a slot, or for one of its own if it is begun by hand.

    None while another run of the job goes on, or when the slot is not newer than the newest one.
    Raises Conflict when the slot had its run.
    """
    now = context.clock()
    run_id = uuid7(now)
    run = JobRun(
        id=run_id, job=name, slot=slot or f"by hand {run_id}", started_at=now, slot_at=slot_at
    )
    fence = await store.claim(context.graph, run, lease_s)
    context.signal(store.STREAM)
    return None if fence is None else replace(run, fence=fence)


async def carry_out(context: Context, run: JobRun, work: Work, lease_s: float) -> JobRun:
    """Do the work of a run that was claimed, and return the run as it ended.

    A job that fails gives a run that is FAILED and says why. The run of a slot is left to the next
    process where this one is stopped or the database is not available.
    """
    beat = JobHeartbeat(context, run, lease_s)
    try:
        done = await _run_work(context, run, work, beat)
    except asyncio.CancelledError:
        stopped = replace(run, status=RunStatus.FAILED, error=_STOPPED, counts=dict(beat.counts))
        await asyncio.shield(_release(context, stopped))
        raise
    if done is None:
        abandoned = replace(
            run, status=RunStatus.FAILED, error=store.LOST, counts=dict(beat.counts)
        )
        return await _release(context, abandoned)
    return await _finish(context, done)


async def _run_work(context: Context, run: JobRun, work: Work, beat: JobHeartbeat) -> JobRun | None:
    """Return the run as it ended; None when it is worth another attempt."""
    counts: Mapping[str, int] = beat.counts
    try:
        counts = await work(_let_callers_go_first(context, beat), beat)
    except Cancelled:
        return replace(run, status=RunStatus.CANCELLED, error=_CANCELLED, counts=dict(counts))
    except GraphmemError as error:
        if error.retryable and run.slot_at is not None:
            log.warning("job is left for another attempt", job=run.job, code=error.code)
            return None
        return replace(run, status=RunStatus.FAILED, error=error.message, counts=dict(counts))
    except Exception as error:
        log.error("job failed", **describe_error(run.job, error))
        return replace(run, status=RunStatus.FAILED, error=_UNEXPECTED, counts=dict(counts))
    if beat.failed or beat.counts[SKIPPED]:
        many, template = (
            (beat.failed, _OF_USERS) if beat.failed else (beat.counts[SKIPPED], _OF_ROWS)
        )
        error = template.format(many)
        return replace(run, status=RunStatus.FAILED, error=error, counts=dict(counts))
    return replace(run, status=RunStatus.DONE, counts=dict(counts))


def _let_callers_go_first(context: Context, beat: JobHeartbeat) -> Context:
    """Return the context for the work of a job: its graph and its threads for texts rest."""
    return replace(context, graph=beat.pace.of(context.graph), texts=context.bulk_texts)


async def _release(context: Context, run: JobRun) -> JobRun:
    """Leave the run of a slot to other processes; one by hand ends here."""
    if run.slot_at is None:
        return await _finish(context, run)
    await store.release(context.graph, run)
    return run


async def _finish(context: Context, run: JobRun) -> JobRun:
    ended = replace(run, finished_at=context.clock())
    await store.finish(context.graph, ended)
    await store.prune(context.graph, run.job, ended.started_at - KEPT)
    context.signal(store.STREAM)
    return ended
