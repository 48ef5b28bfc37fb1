"""Jobs on a real graph: one run at a time, one for a slot, and none lost by a crash."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any

import pytest

from graphmem.domain.ids import uuid7
from graphmem.domain.jobs import JobRun, RunStatus
from graphmem.errors import Conflict, Invalid, NotFound, TimedOut, Unavailable
from graphmem.operations.commands.jobs import ListJobRuns
from graphmem.operations.parsing import parse
from graphmem.services.context import Context
from graphmem.services.job_runs.running import Cancelled, JobHeartbeat, TakenOver
from graphmem.services.jobs import jobs
from graphmem.store import jobs as store
from graphmem.store.graph import Graph


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], str]:
    """Makes a job of a function; its name."""

    def make(work: Any) -> str:
        name = f"test_{secrets.token_hex(6)}"
        monkeypatch.setattr(jobs, "WORK", MappingProxyType({name: work}))
        return name

    return make


async def newest(graph: Graph, name: str) -> JobRun:
    return (await store.list_runs(graph, [name], 1))[0]


async def test_a_run_is_kept_with_its_counts(context: Context, made: Any) -> None:
    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        await beat.checkpoint()
        return {"things": 3}

    name = made(work)
    run = await jobs.run_job(context, name)
    assert (run.status, run.counts, run.error) == (RunStatus.DONE, {"things": 3}, None)
    assert run.finished_at is not None
    assert run.finished_at >= run.started_at
    assert await newest(context.graph, name) == run
    again = await jobs.run_job(context, name)
    assert await store.list_runs(context.graph, [name], 5) == [again, run]


async def test_the_work_of_a_job_reads_texts_on_threads_that_let_callers_go_first(
    context: Context, made: Any
) -> None:
    used: list[Context] = []

    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        used.append(context)
        return {}

    await jobs.run_job(context, made(work))
    assert [each.texts for each in used] == [context.bulk_texts]
    assert context.texts is not context.bulk_texts


async def test_two_runs_at_once_are_refused(context: Context, made: Any) -> None:
    going, let_go = asyncio.Event(), asyncio.Event()

    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        going.set()
        await let_go.wait()
        return {}

    name = made(work)
    first = asyncio.create_task(jobs.run_job(context, name))
    await going.wait()
    with pytest.raises(Conflict, match=f"{name} is running already"):
        await jobs.run_job(context, name)
    assert (await newest(context.graph, name)).status is RunStatus.RUNNING
    let_go.set()
    assert (await first).status is RunStatus.DONE
    assert len(await store.list_runs(context.graph, [name], 5)) == 1
    assert (await jobs.run_job(context, name)).status is RunStatus.DONE


async def test_of_many_that_start_together_one_runs(context: Context, made: Any) -> None:
    let_go = asyncio.Event()

    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        await let_go.wait()
        return {}

    name = made(work)
    waiting = {asyncio.create_task(jobs.run_job(context, name)) for _ in range(8)}
    while len(waiting) > 1:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert all(isinstance(each.exception(), Conflict) for each in done)
    let_go.set()
    assert (await waiting.pop()).status is RunStatus.DONE


async def test_a_slot_has_one_run(context: Context, made: Any) -> None:
    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        return {}

    name = made(work)
    run = await jobs.run_job(context, name, "2026-03-01T12:00")
    with pytest.raises(Conflict):
        await jobs.run_job(context, name, "2026-03-01T12:00")
    assert await store.list_runs(context.graph, [name], 5) == [run]
    # The refused one holds no lease.
    assert (await jobs.run_job(context, name, "2026-03-01T12:05")).status is RunStatus.DONE


async def test_a_crashed_run_loses_its_lease_after_a_time(context: Context, made: Any) -> None:
    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        return {"done": 1}

    name = made(work)
    now = context.clock()
    crashed = JobRun(id=uuid7(now), job=name, slot="crashed", started_at=now)
    fence = await store.claim(context.graph, crashed, 600)
    assert fence is not None
    crashed = replace(crashed, fence=fence)
    with pytest.raises(Conflict):
        await jobs.run_job(context, name)
    assert (await newest(context.graph, name)).status is RunStatus.RUNNING
    assert await store.keep_lease(context.graph, crashed, 0) is False  # so that its time is over
    assert (await newest(context.graph, name)).status is RunStatus.FAILED  # before anybody runs it
    run = await jobs.run_job(context, name)
    assert run.status is RunStatus.DONE
    _, lost = await store.list_runs(context.graph, [name], 5)
    assert (lost.id, lost.status) == (crashed.id, RunStatus.FAILED)
    assert lost.error == "its process ended before the job was done"
    assert lost.finished_at is not None


async def test_a_run_that_lost_its_lease_stops_and_changes_nothing_of_the_next(
    context: Context, made: Any
) -> None:
    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        if (await store.list_runs(context.graph, [name], 5))[1:]:
            return {"taken over": 1}
        await asyncio.sleep(0.4)  # the lease of this first run is over
        assert (await jobs.run_job(context, name)).status is RunStatus.DONE
        await beat.checkpoint()
        raise AssertionError("it went on")

    name = made(work)
    run = await jobs.run_job(context, name, lease_s=0.2)
    assert (run.status, run.error) == (RunStatus.FAILED, "another run of the job took over")
    second, first = await store.list_runs(context.graph, [name], 5)
    assert (second.status, second.counts) == (RunStatus.DONE, {"taken over": 1})
    assert first.status is RunStatus.FAILED


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (TimedOut("too slow"), "too slow"),
        (RuntimeError("Neo.ClientError secret"), "it failed unexpectedly; the log"),
        (KeyError("secret"), "it failed unexpectedly; the log"),
    ],
)
async def test_a_failure_is_written_without_internal_words(
    error: Exception, told: str, context: Context, made: Any
) -> None:
    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        raise error

    name = made(work)
    run = await jobs.run_job(context, name)
    assert run.status is RunStatus.FAILED
    assert (run.error or "").startswith(told)
    assert "secret" not in (run.error or "")
    assert await newest(context.graph, name) == run
    assert (await jobs.run_job(context, name)).id != run.id  # the lease was given back


async def test_what_goes_wrong_with_one_user_keeps_no_other_from_its_turn(
    context: Context, made: Any
) -> None:
    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        for user in ("ada", "bob", "cy"):
            with beat.isolate_user():
                if user == "bob":
                    raise ValueError("the text of a note")
                beat.counts["users"] += 1
        return beat.counts

    run = await jobs.run_job(context, made(work))
    assert (run.status, run.counts) == (RunStatus.FAILED, {"users": 2})
    assert run.error is not None
    assert run.error.startswith("it failed for some users (1), and did the others")


@pytest.mark.parametrize("error", [Unavailable("away"), TakenOver("taken"), Cancelled("stop")])
async def test_what_is_not_about_a_user_ends_the_run(context: Context, error: Exception) -> None:
    now = context.clock()
    beat = JobHeartbeat(context, JobRun(id=uuid7(now), job="j", slot="s", started_at=now), 600)
    with pytest.raises(type(error)), beat.isolate_user():
        raise error
    assert beat.failed == 0


async def test_a_cancelled_run_is_failed_and_gives_its_lease_back(
    context: Context, made: Any
) -> None:
    going, let_go = asyncio.Event(), asyncio.Event()

    async def work(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
        going.set()
        await let_go.wait()
        return {}

    name = made(work)
    running = asyncio.create_task(jobs.run_job(context, name))
    await going.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    stopped = await newest(context.graph, name)
    assert (stopped.status, stopped.error) == (
        RunStatus.FAILED,
        "it was stopped before it was done",
    )
    let_go.set()
    assert (await jobs.run_job(context, name)).status is RunStatus.DONE


async def test_an_unknown_job_is_not_found_and_leaves_no_run(context: Context) -> None:
    with pytest.raises(NotFound, match="no such job"):
        await jobs.run_job(context, "drop_everything")
    with pytest.raises(NotFound, match="no such job"):
        await jobs.list_runs(context.graph, "drop_everything", 5)
    assert await store.list_runs(context.graph, ["drop_everything"], 5) == []
    for first in (0, -1, jobs.MAX_RUNS + 1):
        with pytest.raises(Invalid):
            parse(ListJobRuns, {"first": first})


async def test_runs_are_listed_while_they_are_removed(context: Context) -> None:
    """Of a run that is removed while it is read, Neo4j gives properties that are null."""
    job, graph = secrets.token_hex(6), context.graph
    started = context.clock()
    for _ in range(3):
        for _ in range(60):  # each ends the one before, whose lease is over
            run = JobRun(id=uuid7(started), job=job, slot=None, started_at=started)
            await graph.write(store.claim_step(run, -1.0))
        removed = asyncio.create_task(store.prune(graph, job, started + timedelta(days=1)))
        while not removed.done():
            listed = await store.list_runs(graph, [job], 500)
            assert {each.job for each in listed} == {job}
            await store.get_run(graph, listed[0].id)
    assert len(await store.list_runs(graph, [job], 500)) == 1
