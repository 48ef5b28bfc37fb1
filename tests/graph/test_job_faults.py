"""Jobs whose process dies, or whose database is away, at any query: others go on, and in the end
the graph is that of a run which nothing has disturbed.

With GRAPHMEM_FUZZ_SECONDS set, jobs are disturbed at other points for so long, and processes are
killed by SIGKILL in each of them."""

import asyncio
import json
import os
import secrets
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import asdict, replace
from datetime import timedelta
from enum import StrEnum, auto
from pathlib import Path
from random import Random
from typing import Any

import pytest
from living_notes import Living, of_one_user
from mortal_graph import Fault, Killed
from named_nodes import named

from graphmem.domain.jobs import JobRun, RunStatus
from graphmem.domain.owners import Owner
from graphmem.errors import Unavailable
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.services.forgetting.erasing import erase_user
from graphmem.services.job_runs import pace
from graphmem.services.jobs import digests
from graphmem.settings import Settings
from graphmem.store import erasing, jobs
from graphmem.store.graph import Graph, Step

MANY = 60  # faults, more than a job meets on its way
CHANGING = (  # the jobs that change more than their own runs
    "consolidate_memory",
    "digest_audit",
    "erase_users",
    "expire_notes",
    "maintain_memory",
    "move_tiers",
    "reflect_episodes",
    "reflect_memory",
    "relate_notes",
    "resolve_duplicates",
    "sweep_decay",
    "update_expertise",
)
LATER = {"digest_audit": timedelta(days=120)}  # when it has something to do
Worlds = tuple[Living, Living]
KILLED = Path(__file__).parents[1] / "fakes" / "killed_job.py"
BEGUN = "'reflection begun'"  # is told anew where a reflection begins anew
KILLS = 2  # by SIGKILL, in a job
SECONDS = float(os.environ.get("GRAPHMEM_FUZZ_SECONDS", "0"))


async def two_worlds(context: Context, new_user: Callable[[], str], job: str) -> Worlds:
    """The same notes twice, of which the job finds something to do."""
    worlds = Living.tiered(context, new_user()), Living.tiered(context, new_user())
    for world in worlds:
        await world.fill()
        world.now += LATER.get(job, timedelta())
        if job == "erase_users":
            await erasing.begin(context.graph, world.user, world.now)
    assert await worlds[0].state() == await worlds[1].state()
    return worlds


async def check(worlds: Worlds, of_user: Callable[[str], None], job: str, disturbed: Any) -> Any:
    """One world's job runs without a break and the other's is disturbed: both end alike. What
    `disturbed` tells of its run."""
    calm, torn = worlds
    before = await calm.state()
    of_user(calm.user)
    done = await calm.go_on(await calm.begin(job), job)
    assert done.status is RunStatus.DONE
    of_user(torn.user)
    began = await torn.begin(job)
    found = await disturbed(torn, began)
    ended = await jobs.get_run(torn.context.graph, began.id)
    assert ended is not None
    assert ended.status is RunStatus.DONE
    after = await calm.state()
    for one, other in zip(await torn.state(), after, strict=True):
        more = [each for each in (one - other).elements() if BEGUN not in each]
        assert (more, other - one) == ([], Counter())
    assert after != before
    if job == "erase_users":
        assert await erasing.count_named(torn.context.graph, torn.user) == {}
    return found


async def killed_over_and_over(world: Living, began: JobRun, job: str, rng: Random) -> int:
    """A run whose processes die at any query until it has ended; how often. Whoever takes over has
    another clock: they are ten minutes apart."""
    faults, now = 0, world.now
    run: JobRun | None = began
    while run is not None:
        fault = Fault.chosen(rng, 3 + 6 * faults)
        world.now = now + timedelta(minutes=5 if faults % 2 else -5)
        with suppress(Killed, Unavailable):
            await world.go_on(run, job, fault.of(world.context.graph))
        faults += fault.came
        assert faults < MANY
        run = await world.taken_over(run)
    assert faults > 0
    return faults


async def killed_for_real(
    world: Living, began: JobRun, job: str, rng: Random, address: ServerAddress, data: Path
) -> int:
    """A run whose first processes are killed by SIGKILL, and which ends in this one; how many were
    killed."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GRAPHMEM_")}
    env |= {
        "GRAPHMEM_NEO4J_URI": address.bolt_uri,
        "GRAPHMEM_NEO4J_USER": address.user,
        "GRAPHMEM_NEO4J_PASSWORD": address.password,
        "GRAPHMEM_DATA": str(data),
        "GRAPHMEM_EMBEDDER": "hash",
        "GRAPHMEM_EXTRACTOR": "rules",
        "PYTHONPATH": os.pathsep.join(map(str, (KILLED.parents[2], Path(__file__).parent))),
    }
    killed = 0
    run: JobRun | None = began
    for turn in range(KILLS):
        if run is None:
            break
        told = {**asdict(run), "started_at": run.started_at.isoformat()}
        given = {
            "user": world.user,
            "job": job,
            "now": world.now.isoformat(),
            "run": told | {"finished_at": None, "slot_at": None},
            "at": rng.randint(2, 6 + 6 * turn),
            "after": rng.uniform(0, 0.02),
        }
        command = [sys.executable, str(KILLED), json.dumps(given)]
        process = await asyncio.create_subprocess_exec(*command, env=env)
        code = await asyncio.wait_for(process.wait(), 280)
        assert code in (0, -signal.SIGKILL), "it was done before, or it was killed"
        killed += code != 0
        run = await world.taken_over(run)
    if run is not None:
        await world.go_on(run, job)
    assert killed > 0
    return killed


@pytest.mark.parametrize("job", CHANGING)
async def test_a_job_that_is_killed_over_and_over_does_what_it_would_have_done(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch, job: str
) -> None:
    monkeypatch.setattr(digests, "PAGE", 4)
    worlds = await two_worlds(context, new_user, job)

    async def disturbed(torn: Living, began: JobRun) -> int:
        return await killed_over_and_over(torn, began, job, Random(job))

    await check(worlds, of_one_user(monkeypatch), job, disturbed)


class Erased(StrEnum):
    """When a user is erased."""

    IN_TIME = auto()  # just before a job keeps a place that names the user
    BY_DEATH = auto()  # when the job's process has died there
    LATER = auto()  # when the job is done


class AtPlace:
    """What happens where a process keeps a place that names a user: it dies as soon as that is
    kept, or the user is erased just before."""

    def __init__(self, context: Context, user: str, erased: Erased) -> None:
        self.context, self.user, self.erased = context, user, erased
        self.died = self.came = False

    def of(self, graph: Graph) -> Graph:
        """The graph as the process has it."""
        mortal: Any = copy(graph)
        write = graph.write

        async def written(*steps: Step, **given: Any) -> Any:
            if self.died:
                raise Killed
            kept = [step.parameters.get("place") for step in steps if step.query == "jobs/keep"]
            comes = not self.came and any(self.user in str(place or "") for place in kept)
            self.came |= comes
            if comes and self.erased is Erased.IN_TIME:
                assert (await erase_user(self.context, self.user)).complete
            found = await write(*steps, **given)
            if comes and self.erased is Erased.IN_TIME:
                assert await named(self.context, self.user) == []
            self.died = comes and self.erased is Erased.BY_DEATH
            if self.died:
                raise Killed
            return found

        mortal.write = written
        return mortal


@pytest.mark.parametrize("erased", Erased)
@pytest.mark.parametrize("job", [job for job in CHANGING if job != "erase_users"])
async def test_a_run_names_nobody_who_was_erased(
    context: Context,
    new_user: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    job: str,
    erased: Erased,
) -> None:
    monkeypatch.setattr(pace, "PAGE", 5)
    world = Living.tiered(context, new_user())
    await world.fill()
    world.now += LATER.get(job, timedelta())
    of_one_user(monkeypatch)(world.user)
    run = await world.begin(job)
    if job == "sweep_decay":  # it reads the audiences one after the other
        run = replace(run, place=json.dumps([Owner(world.user).key, "", ""]))
    end = AtPlace(context, world.user, erased)
    with suppress(Killed):
        ended = await world.go_on(run, job, end.of(context.graph))
        assert ended.status is RunStatus.DONE
    assert (await erase_user(context, world.user)).complete
    assert await named(context, world.user) == []
    if end.died:  # whoever takes over begins anew
        left = await world.taken_over(run)
        assert left is not None
        assert (left.place, left.counts) == (None, {})


@pytest.mark.parametrize("job", CHANGING if SECONDS else ["move_tiers"])
async def test_a_job_whose_process_gets_sigkill_does_what_it_would_have_done(
    context: Context,
    neo4j_address: ServerAddress,
    settings: Settings,
    new_user: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    job: str,
) -> None:
    worlds = await two_worlds(context, new_user, job)
    rng = Random(f"{job} {secrets.randbits(32) if SECONDS else 0}")

    async def disturbed(torn: Living, began: JobRun) -> int:
        return await killed_for_real(torn, began, job, rng, neo4j_address, settings.data)

    killed = await check(worlds, of_one_user(monkeypatch), job, disturbed)
    print(f"{job}: {killed} killed")


@pytest.mark.skipif(SECONDS <= 0, reason="GRAPHMEM_FUZZ_SECONDS says for how long")
@pytest.mark.timeout(SECONDS + 600)
async def test_jobs_that_are_killed_anywhere_do_what_they_would_have_done_for_long(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "PAGE", 4)
    of_user, until, faults = of_one_user(monkeypatch), time.monotonic() + SECONDS, Counter[str]()
    first = tried = int(os.environ.get("GRAPHMEM_FUZZ_SEED") or secrets.randbits(32))
    print(f"seeds from {first}")
    while time.monotonic() < until:
        job, rng = CHANGING[tried % len(CHANGING)], Random(tried)
        worlds = await two_worlds(context, new_user, job)

        async def disturbed(torn: Living, began: JobRun, job: str = job, rng: Random = rng) -> int:
            return await killed_over_and_over(torn, began, job, rng)

        faults[job] += await check(worlds, of_user, job, disturbed)
        tried += 1
        print(f"{tried - first} runs, {faults.total()} faults: {dict(faults)}", flush=True)
