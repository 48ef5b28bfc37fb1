"""Jobs whose process dies, or whose database is away, at any query: others go on, and in the end
the graph is that of a run which nothing has disturbed."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from living_notes import Living, of_one_user
from mortal_graph import Fault, Killed

from graphmem.domain.jobs import JobRun, RunStatus
from graphmem.domain.profiles.parameters import Ranking, Tiered
from graphmem.errors import Unavailable
from graphmem.services.context import Context
from graphmem.services.jobs import digests
from graphmem.store import erasing, jobs

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
    "settle_duplicates",
    "sweep_decay",
    "update_expertise",
)
LATER = {"digest_audit": timedelta(days=120)}  # when it has something to do


async def killed_over_and_over(world: Living, job: str) -> None:
    """A run whose processes die at any query until it has ended. Whoever takes over has another
    clock: they are ten minutes apart."""
    rng, faults, now = Random(job), 0, world.now
    began = await world.begin(job)
    run: JobRun | None = began
    while run is not None:
        fault = Fault.chosen(rng, 3 + 6 * faults)
        world.now = now + timedelta(minutes=5 if faults % 2 else -5)
        with suppress(Killed, Unavailable):
            await world.go_on(run, job, fault.of(world.context.graph))
        faults += fault.came
        assert faults < MANY
        run = await world.taken_over(run)
    ended = await jobs.get_run(world.context.graph, began.id)
    assert ended is not None
    assert ended.status is RunStatus.DONE
    assert faults > 0


@pytest.mark.parametrize("job", CHANGING)
async def test_a_job_that_is_killed_over_and_over_does_what_it_would_have_done(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch, job: str
) -> None:
    of_user = of_one_user(monkeypatch)
    monkeypatch.setattr(digests, "PAGE", 4)
    calm, torn = Living(context, new_user()), Living(context, new_user())
    for world in (calm, torn):
        world.numbers = replace(Ranking(), tiered=Tiered(enabled=True))
        await world.fill()
        world.now += LATER.get(job, timedelta())
        if job == "erase_users":
            await erasing.begin(context.graph, world.user, world.now)
    before = await calm.state()
    assert await torn.state() == before
    of_user(calm.user)
    done = await calm.go_on(await calm.begin(job), job)
    assert done.status is RunStatus.DONE
    of_user(torn.user)
    await killed_over_and_over(torn, job)
    after = await calm.state()
    for found, expected in zip(await torn.state(), after, strict=True):
        assert found - expected == expected - found == Counter()
    assert after != before
    if job == "erase_users":
        assert await erasing.count_named(context.graph, torn.user) == {}
