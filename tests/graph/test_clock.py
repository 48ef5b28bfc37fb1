"""The clock of the jobs on a real graph: one run for a slot, whoever looks when, and none lost."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from graphmem.domain.jobs import Job, JobRun, RunStatus, Schedule
from graphmem.errors import Conflict, Unavailable
from graphmem.scheduler import clock
from graphmem.scheduler.clock import run_clock
from graphmem.services.context import Context
from graphmem.services.job_runs import running
from graphmem.services.job_runs.times import newest_slot, slot_name
from graphmem.services.jobs import jobs
from graphmem.services.runs import Runs
from graphmem.store import jobs as store

HOUR = timedelta(hours=1)


class Made:
    """A job of a test: what it does is `work`, and `count` tells how often it was done."""

    def __init__(self, name: str, context: Context) -> None:
        self.job = Job(name=name, description="Does it.", cron="0 * * * *", time_zone="UTC")
        self.name, self.context, self.count = name, context, 0
        self.places: list[str] = []
        self.fails: list[BaseException] = []
        self.goes_on, self.done = asyncio.Event(), asyncio.Event()
        self.goes_on.set()

    async def work(self, context: Context, beat: Any) -> Any:
        self.places.append(beat.place)
        await self.goes_on.wait()
        if self.fails:
            beat.counts["done"] += 1
            await beat.checkpoint("half")
            raise self.fails.pop()
        self.count += 1
        self.done.set()
        beat.counts["done"] += 1
        return beat.counts

    def process(self) -> Context:
        """The parts of one more process."""
        return replace(self.context, runs=Runs())

    async def look(self, context: Context, hours: float = 0.0) -> list[JobRun]:
        begun = await jobs.start_due_jobs(context, ahead=timedelta(hours=hours))
        await context.runs.wait_idle()
        return begun

    async def runs(self) -> list[JobRun]:
        return await store.list_runs(self.context.graph, [self.name], 50)


@pytest.fixture
async def made(context: Context, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Made]:
    """The only job that there is, which is done every hour."""
    found = Made(f"test_{secrets.token_hex(6)}", context)
    monkeypatch.setattr(jobs, "WORK", MappingProxyType({found.name: found.work}))
    monkeypatch.setattr(jobs, "known_jobs", lambda: (found.job,))
    yield found
    await context.runs.wait_idle()


async def test_a_slot_has_one_run_however_many_look(made: Made) -> None:
    processes = [made.process() for _ in range(6)]
    begun = await asyncio.gather(*(made.look(each) for each in processes))
    assert len([run for runs in begun for run in runs]) == 1
    assert made.count == 1
    (run,) = await made.runs()
    assert run.status is RunStatus.DONE
    assert await made.look(made.process()) == []
    (run,) = begun[0] or [run for runs in begun for run in runs]
    slot = newest_slot(made.job, (await store.due(made.context.graph, [made.name]))[0].now)
    assert slot is not None
    assert run.slot in (slot_name(slot), slot_name(slot - HOUR))  # an hour may begin meanwhile


async def test_two_processes_whose_clocks_differ_run_no_slot_twice_and_miss_none(
    made: Made,
) -> None:
    """Each looks by the clock of the database, so its own does not matter."""
    late, early = (
        replace(made.process(), clock=lambda by=by: made.context.clock() + timedelta(minutes=by))
        for by in (-5, 5)
    )
    for hours in range(1, 7):
        for each in (late, early, early, late) if hours % 2 else (early, late, late, early):
            await made.look(each, hours)
    slots = [run.slot for run in await made.runs()]
    assert len(set(slots)) == len(slots) == made.count
    assert len(slots) in (6, 7)  # an hour may begin meanwhile


async def test_what_was_missed_is_caught_up_with_once(made: Made) -> None:
    await made.look(made.process())
    assert len(await made.look(made.process(), 50)) == 1  # the machine slept for two days
    assert await made.look(made.process(), 50) == []
    assert made.count == 2
    assert await made.look(made.process(), 49) == []  # an older slot is not due any more
    slot = (await made.runs())[0].slot
    with pytest.raises(Conflict):
        await jobs.run_job(made.context, made.name, slot)


async def test_a_run_whose_process_died_is_taken_over_where_it_was(made: Made) -> None:
    dead = made.process()
    made.fails.append(asyncio.CancelledError())
    (begun,) = await jobs.start_due_jobs(dead)
    await dead.runs.wait_idle()  # it was stopped after "half", as a service is
    (left,) = await made.runs()
    assert (left.status, left.error) == (RunStatus.FAILED, store.LOST)
    assert made.count == 0
    (taken,) = await made.look(made.process())
    assert taken.id == begun.id
    assert taken.fence > begun.fence
    (run,) = await made.runs()
    assert (run.id, run.status, run.counts) == (begun.id, RunStatus.DONE, {"done": 2})
    assert made.places == ["", "half"]


async def test_a_process_that_dies_without_a_word_loses_its_run_when_its_lease_is_over(
    made: Made,
) -> None:
    now = made.context.clock()
    slot = newest_slot(made.job, now)
    run = await running.claim_run(made.context, made.name, slot, "the slot", 600)
    assert run is not None
    assert await made.look(made.process()) == []  # it may live
    assert await store.keep_lease(made.context.graph, run, 0) is False
    both = await asyncio.gather(*(made.look(made.process()) for _ in range(4)))
    assert [each.id for runs in both for each in runs] == [run.id]
    assert made.count == 1
    # The dead one wakes up: the fence lets it do nothing.
    assert await store.keep_lease(made.context.graph, run, 600) is None
    await store.finish(made.context.graph, replace(run, status=RunStatus.FAILED, finished_at=now))
    assert (await made.runs())[0].status is RunStatus.DONE


async def test_a_run_that_always_dies_is_given_up(made: Made) -> None:
    made.fails += [asyncio.CancelledError() for _ in range(9)]
    for _ in range(6):
        await made.look(made.process())
    (run,) = await made.runs()
    assert run.status is RunStatus.FAILED
    assert len(made.places) == 3
    made.fails.clear()
    await made.look(made.process(), 1)
    newest, given_up = await made.runs()
    assert (newest.status, given_up.status) == (RunStatus.DONE, RunStatus.FAILED)
    assert given_up.finished_at is not None


async def test_a_run_waits_for_a_database_that_is_away(made: Made) -> None:
    made.fails.append(Unavailable())
    await made.look(made.process())
    assert made.count == 0
    await made.look(made.process())
    (run,) = await made.runs()
    assert (run.status, made.places) == (RunStatus.DONE, ["", "half"])


async def test_a_run_that_fails_is_not_tried_again_before_its_next_time(made: Made) -> None:
    made.fails.append(RuntimeError("no"))
    await made.look(made.process())
    assert await made.look(made.process()) == []
    (run,) = await made.runs()
    assert run.status is RunStatus.FAILED
    assert run.counts == {"done": 1}


async def test_jobs_that_are_off_are_run_by_hand_only(made: Made) -> None:
    for schedule in (Schedule(on=False), Schedule(off=(made.name,))):
        off = replace(made.process(), schedule=schedule)
        assert await made.look(off) == []
        assert jobs.next_run(off, made.job) is None
    assert (await jobs.run_job(off, made.name)).status is RunStatus.DONE
    assert jobs.next_run(made.context, made.job) is not None


async def test_not_all_that_is_due_begins_at_once(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a night in which the machine slept, callers are served beside the jobs."""
    names = [f"{made.name}_{i}" for i in range(5)]
    all_jobs = tuple(replace(made.job, name=name) for name in names)
    monkeypatch.setattr(jobs, "WORK", MappingProxyType(dict.fromkeys(names, made.work)))
    monkeypatch.setattr(jobs, "known_jobs", lambda: all_jobs)
    process = replace(made.process(), schedule=Schedule(at_once=2))
    made.goes_on.clear()
    looking = asyncio.create_task(clock._look(process))
    while len(made.places) < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    assert await jobs.start_due_jobs(process) == []
    assert (process.runs.count, len(made.places)) == (2, 2)
    made.goes_on.set()
    await looking
    await process.runs.wait_idle()
    assert made.count == 5
    runs = await store.list_runs(made.context.graph, names, 5)
    assert sorted(run.job for run in runs) == names


async def test_a_run_by_hand_does_not_take_the_place_of_a_slot(made: Made) -> None:
    assert (await jobs.run_job(made.context, made.name)).status is RunStatus.DONE
    assert len(await made.look(made.process())) == 1
    assert made.count == 2


async def test_a_run_can_be_cancelled_from_another_process(made: Made) -> None:
    going = made.process()
    made.goes_on.clear()
    begun = await jobs.start_job(going, made.name)
    assert begun.status is RunStatus.RUNNING
    with pytest.raises(Conflict, match="is running already"):
        await jobs.start_job(made.process(), made.name)
    seen: list[JobRun] = []

    async def follow() -> None:
        async for each in jobs.follow_run(made.context, begun.id):
            seen.append(each)

    following = asyncio.create_task(follow())
    asked = await jobs.cancel_run(made.process(), begun.id)
    assert asked.status is RunStatus.RUNNING
    made.fails.append(AssertionError("it went on"))
    made.goes_on.set()
    await following
    assert [each.status for each in seen][-1] is RunStatus.CANCELLED
    assert (await made.runs())[0].error == "it was cancelled"
    assert (await jobs.cancel_run(made.context, begun.id)).status is RunStatus.CANCELLED
    await going.runs.wait_idle()
    made.fails.clear()
    assert (await jobs.run_job(made.context, made.name)).status is RunStatus.DONE


async def test_runs_are_kept_for_90_days(made: Made) -> None:
    begun = made.context.clock()

    def at(days: float) -> Callable[[], datetime]:
        return lambda: begun + timedelta(days=days)

    old = await jobs.run_job(replace(made.context, clock=at(0)), made.name)
    young = await jobs.run_job(replace(made.context, clock=at(1)), made.name)
    await jobs.run_job(replace(made.context, clock=at(89.9)), made.name)
    assert {run.id for run in await made.runs()} >= {old.id, young.id}
    await jobs.run_job(replace(made.context, clock=at(90.1)), made.name)
    ids = {run.id for run in await made.runs()}
    assert young.id in ids
    assert old.id not in ids


async def test_the_clock_looks_after_the_start_and_ends_with_the_service(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "FIRST_S", 0)
    async with run_clock(replace(made.process(), schedule=Schedule(on=False))):
        await asyncio.sleep(0.1)
    assert await made.runs() == []
    process = made.process()
    async with run_clock(process):
        await made.done.wait()
        await process.runs.wait_idle()
    (run,) = await made.runs()
    assert run.status is RunStatus.DONE
    assert run.slot.endswith(":00Z")


async def test_a_look_that_is_cut_off_by_the_end_is_no_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """APScheduler would tell of it with a traceback."""
    begun = asyncio.Event()

    async def endless(_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def passes(*_: Any) -> None:
        """The model of this process is in use."""

    monkeypatch.setattr(clock, "require_in_use", passes)
    monkeypatch.setattr(clock, "start_due_jobs", endless)
    nothing: Any = SimpleNamespace(graph=None, embedder=None)
    looking = asyncio.create_task(clock._look(nothing))
    await begun.wait()
    looking.cancel()
    assert await looking is None
