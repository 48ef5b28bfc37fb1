"""Runs of jobs in the graph, and the reads of the jobs."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.domain.jobs import JobRun, JobState, RunStatus
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.reflection import IN_PERSON
from graphmem.store.times import instant_from_milliseconds

LOST = "its process ended before the job was done"
STREAM = "system:jobs"  # grows with each change of a run; no user has a colon in its id
PRUNED = 1_000  # runs deleted at once


async def claim(graph: Graph, run: JobRun, lease_s: float) -> int | None:
    """Begin a run and return the fence of its lease; None when another run of the job has the lease
    or the slot is not newer than the newest one. A run that lost its lease is FAILED. Raises
    Conflict when the slot already had its run."""
    [rows] = await graph.write(claim_step(run, lease_s))
    return rows[0]["fence"] if rows else None


def claim_step(run: JobRun, lease_s: float) -> Step:
    """Return the step that `claim` sends."""
    return Step(
        "jobs/claim",
        {
            "id": run.id,
            "job": run.job,
            "slot": run.slot,
            "slotAt": run.slot_at,
            "now": run.started_at,
            "seconds": lease_s,
            "lost": LOST,
        },
    )


async def take_over(graph: Graph, run: JobRun, lease_s: float) -> int | None:
    """Continue a run that was abandoned under the lease of its fence; return the new fence, None
    when somebody else continued it."""
    row = await graph.write_one(
        "jobs/take_over", job=run.job, id=run.id, fence=run.fence, seconds=lease_s
    )
    return row["fence"] if row else None


async def keep_lease(
    graph: Graph,
    run: JobRun,
    lease_s: float,
    counts: Mapping[str, int] | None = None,
    place: str | None = None,
    named: str | None = None,
) -> bool | None:
    """Renew the lease for a time and record the progress of the run. Return True if the run has to
    stop, None when another process has the lease. `named` is the user whom the place names; once
    that user is erased, the place of the run is not updated."""
    [rows] = await graph.write(keep_step(run, lease_s, counts, place, named))
    return rows[0]["cancelled"] if rows else None


def keep_step(
    run: JobRun,
    lease_s: float,
    counts: Mapping[str, int] | None = None,
    place: str | None = None,
    named: str | None = None,
) -> Step:
    """Return the step that `keep_lease` sends."""
    return Step(
        "jobs/keep",
        {
            "job": run.job,
            "id": run.id,
            "fence": run.fence,
            "seconds": lease_s,
            "counts": None if counts is None else json.dumps(dict(counts)),
            "place": place,
            "named": named,
            "stream": STREAM,
        },
    )


async def finish(graph: Graph, run: JobRun) -> None:
    """Record how a run ended and release its lease, unless another process has it."""
    await graph.write(finish_step(run))


def finish_step(run: JobRun) -> Step:
    """Return the step that `finish` sends."""
    return Step(
        "jobs/finish",
        {
            "job": run.job,
            "id": run.id,
            "fence": run.fence,
            "now": run.finished_at,
            "status": run.status,
            "counts": json.dumps(dict(run.counts)),
            "error": run.error,
            "stream": STREAM,
        },
    )


async def release(graph: Graph, run: JobRun) -> None:
    """Release the lease without ending the run, so that any process may continue it."""
    await graph.write_one("jobs/release", job=run.job, id=run.id, fence=run.fence)


async def cancel(graph: Graph, run_id: str) -> bool:
    """Ask a run to stop; return False when no such run is in progress."""
    return await graph.write_one("jobs/cancel", id=run_id) is not None


async def prune(graph: Graph, job: str, before: datetime) -> None:
    """Delete some of a job's runs that began before a time and have ended."""
    await graph.write_one("jobs/prune", job=job, before=before, limit=PRUNED)


async def due(graph: Graph, jobs: Sequence[str]) -> list[JobState]:
    """Return the state of each job."""
    return [_to_due(row) for row in await graph.read("jobs/due", jobs=list(jobs))]


def _to_due(row: Row) -> JobState:
    left, newest = row["left"], row["slotAt"]
    return JobState(
        job=row["job"],
        now=row["now"].to_native(),
        newest=None if newest is None else newest.to_native(),
        free=row["free"],
        left=_to_abandoned_run(row) if row["free"] and left else None,
        attempts=left["attempts"] if left else 0,
    )


def _to_abandoned_run(row: Row) -> JobRun:
    left = row["left"]
    started = instant_from_milliseconds(left["startedAt"])
    assert started is not None
    return JobRun(
        id=left["id"],
        job=row["job"],
        slot=left["slot"],
        started_at=started,
        counts=json.loads(left["counts"] or "{}"),
        slot_at=row["slotAt"].to_native(),
        fence=row["fence"],
        place=left["place"],
    )


async def get_run(graph: Graph, run_id: str) -> JobRun | None:
    """Return one run, or None."""
    row = await graph.read_one("jobs/get", id=run_id, lost=LOST)
    return None if row is None else _to_run(row["run"])


async def list_runs(graph: Graph, jobs: Sequence[str], limit: int) -> list[JobRun]:
    """Return the newest runs of each job, newest first."""
    rows = await graph.read("jobs/runs", jobs=list(jobs), limit=limit, lost=LOST)
    return [_to_run(row["run"]) for row in rows]


def _to_run(row: Row) -> JobRun:
    started = instant_from_milliseconds(row["startedAt"])
    assert started is not None
    return JobRun(
        id=row["id"],
        job=row["job"],
        slot=row["slot"],
        started_at=started,
        finished_at=instant_from_milliseconds(row["finishedAt"]),
        status=RunStatus(row["status"]),
        counts=json.loads(row["counts"] or "{}"),
        error=row["error"],
    )


async def next_user(graph: Graph, after: str) -> str | None:
    """Return the next id of a user after the given one, or None."""
    return _place(await graph.read_one("jobs/next_user", after=after))


async def next_note(graph: Graph, after: str, ahead: int = 1) -> str | None:
    """Return the id of the note `ahead` places after the given one, or of the last note, or
    None."""
    return _place(await graph.read_one("jobs/next_note", after=after, ahead=ahead))


async def next_verdict(graph: Graph, after: str, ahead: int = 1) -> str | None:
    """Return the id of the verdict on entities `ahead` places after one, or of the last; None when
    there is none."""
    return _place(await graph.read_one("jobs/next_verdict", after=after, ahead=ahead))


async def next_audience(graph: Graph, after: str, ahead: int = 1) -> str | None:
    """Return the key of the audience `ahead` places after one, or of the last; None when there is
    none."""
    return _place(await graph.read_one("jobs/next_audience", after=after, ahead=ahead))


async def next_stream(graph: Graph, after: str) -> str | None:
    """Return the name of the stream of events after one, None when there is none."""
    return _place(await graph.read_one("jobs/next_stream", after=after))


def _place(row: Row | None) -> str | None:
    return None if row is None else row["place"]


async def users_to_reflect(graph: Graph, after: str, *, limit: int) -> list[Row]:
    """Return users in the order of their ids, after one: `user`, and whether a reflection is
    `due`."""
    return await graph.read("job:reflect_memory", after=after, maker=IN_PERSON, limit=limit)


async def users_with_episodes(
    graph: Graph, after: str, *, least: int, threshold: int, since: datetime, limit: int
) -> list[Row]:
    """Return users in the order of their ids, after one: `user`, `episodes` (the number of new
    ones, up to the threshold) and `sessions` that ended since a time with at least `least` notes,
    as {id, agent}."""
    return await graph.read(
        "job:reflect_episodes",
        after=after,
        maker=IN_PERSON,
        least=least,
        threshold=threshold,
        since=since,
        limit=limit,
    )


async def keep_reflected(graph: Graph, sessions: Sequence[str], now: datetime) -> None:
    """Record that sessions were reflected on."""
    await graph.write_one("sessions/reflected", ids=list(sessions), now=now)
