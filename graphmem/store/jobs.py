"""Runs of jobs in the graph, and what the jobs read."""

import json
from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.jobs import JobRun, RunStatus
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.times import moment

LOST = "its process ended before the job was done"


async def claim(graph: Graph, run: JobRun, lease_s: float) -> bool:
    """Begin a run; False when another run of the job has the lease. A run that lost it is FAILED.
    Raises Conflict when the slot had its run."""
    rows = await graph.write(
        Step(
            "jobs/claim",
            {
                "id": run.id,
                "job": run.job,
                "slot": run.slot,
                "now": run.started_at,
                "seconds": lease_s,
                "lost": LOST,
            },
        )
    )
    return bool(rows[0])


async def keep_lease(graph: Graph, run: JobRun, lease_s: float) -> bool:
    """Have the lease for that time from now on; False when another run has it."""
    row = await graph.write_one("jobs/keep", job=run.job, id=run.id, seconds=lease_s)
    return row is not None


async def finish(graph: Graph, run: JobRun) -> None:
    """Keep how a run ended and give its lease back, unless another run has it."""
    await graph.write_one(
        "jobs/finish",
        job=run.job,
        id=run.id,
        now=run.finished_at,
        status=run.status,
        counts=json.dumps(dict(run.counts)),
        error=run.error,
    )


async def list_runs(graph: Graph, jobs: Sequence[str], limit: int) -> list[JobRun]:
    """The newest runs of each job, newest first."""
    rows = await graph.read("jobs/runs", jobs=list(jobs), limit=limit, lost=LOST)
    return [_to_run(row["run"]) for row in rows]


def _to_run(row: Row) -> JobRun:
    started = moment(row["startedAt"])
    assert started is not None
    return JobRun(
        id=row["id"],
        job=row["job"],
        slot=row["slot"],
        started_at=started,
        finished_at=moment(row["finishedAt"]),
        status=RunStatus(row["status"]),
        counts=json.loads(row["counts"] or "{}"),
        error=row["error"],
    )


async def users_to_maintain(
    graph: Graph, after: str, *, cycles: int, now: datetime, limit: int
) -> list[Row]:
    """Users in the order of their ids, after one: `user`, `dormantCandidates` (notes not accessed
    in the last `cycles` recalls), `audiences` as [key, domain]."""
    return await graph.read("job:maintain_memory", after=after, cycles=cycles, now=now, limit=limit)
