"""Jobs go on with everybody else where they fail for one user: nobody's notes keep a job from the
notes of others."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, LiteralString, cast

import pytest
from living_notes import Living
from shared_server import OWNERS

from graphmem.domain.jobs import SKIPPED, JobRun, RunStatus
from graphmem.domain.profiles.parameters import Ranking, Tiered
from graphmem.errors import TimedOut
from graphmem.services.context import Context
from graphmem.services.jobs.statements import STATEMENTS
from graphmem.store.graph import Graph, Row, Step

JOBS = (  # that change notes user by user, or batch by batch of a user's
    "consolidate_memory",
    "digest_audit",
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


@asynccontextmanager
async def spoiled(bad: Living, job: str, *, unreadable: bool = False) -> AsyncIterator[None]:
    """Give all notes of a user a property of a type that no note has, so that a statement that does
    a job fails at each of them: while it changes it, or already while it reads it. In the end they
    are removed, since they would spoil what other tests do."""
    if job not in STATEMENTS:
        yield
        return
    odd = "n.accessTimes = ['never']" if unreadable and job == "sweep_decay" else "n.textKey = [1]"
    if job == "relate_notes":
        odd = "n.tags = 5"
    driver = bad.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    query = cast("LiteralString", f"MATCH (n:Note {{user: $user}}) SET {odd}")
    await driver.execute_query(query, user=bad.user)
    try:
        yield
    finally:
        await driver.execute_query("MATCH (n:Note {user: $user}) DETACH DELETE n", user=bad.user)


class Poisoned(Graph):
    """The same graph; what is asked about one user fails, as no job foresees or as it may pass."""

    def __init__(self, graph: Graph, user: str, ids: frozenset[str], error: Exception) -> None:
        self.__dict__.update(graph.__dict__)
        self._bad, self._error = frozenset((user, *ids)), error
        self._begins = f"u:{user}/"

    async def read(self, query: str, /, **parameters: object) -> list[Row]:
        self._check(query, parameters)
        return await super().read(query, **parameters)

    async def write(self, *steps: Step, **given: Any) -> list[list[Row]]:
        for step in steps:
            self._check(step.query, step.parameters)
        return await super().write(*steps, **given)

    def _check(self, query: str, parameters: object) -> None:
        if not query.startswith(("job:", "jobs/")) and self._named(parameters):
            raise self._error

    def _named(self, value: object) -> bool:
        match value:
            case str():
                return value in self._bad or value.startswith(self._begins)
            case dict():
                return any(map(self._named, value.values()))
            case list() | tuple():
                return (
                    bool(value) and not isinstance(value[0], float) and any(map(self._named, value))
                )
        return False


class Unreadable(Poisoned):
    """The same graph; a page of a job with anything of one user can't be read."""

    async def read(self, query: str, /, **parameters: object) -> list[Row]:
        rows = await Graph.read(self, query, **parameters)
        if query.startswith(("job:", "tiers/", "expertise/unread")) and self._named(rows):
            raise self._error
        return rows

    async def write(self, *steps: Step, **given: Any) -> list[list[Row]]:
        return await Graph.write(self, *steps, **given)


async def filled(context: Context, user: str, job: str) -> Living:
    world = Living(context, user)
    world.numbers = replace(Ranking(), tiered=Tiered(enabled=True))
    await world.fill()
    world.now += LATER.get(job, timedelta())
    return world


async def note_ids(world: Living) -> frozenset[str]:
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    query = "MATCH (n:Note {user: $user}) RETURN n.id AS id"
    return frozenset(row["id"] for row in (await driver.execute_query(query, user=world.user))[0])


@contextmanager
def only(*worlds: Living) -> Iterator[None]:
    """The jobs go through these users alone."""
    token = OWNERS.set(frozenset(world.user for world in worlds))
    try:
        yield
    finally:
        OWNERS.reset(token)


async def poisoned(bad: Living, job: str, error: Exception, world: Living) -> JobRun:
    """A run of a job that can't be done for one user."""
    graph = Poisoned(world.context.graph, bad.user, await note_ids(bad), error)
    with only(bad, world):
        return await world.go_on(await world.begin(job), job, graph)


UNFORESEEN = ValueError("the words of a note")
CASES = [*((job, UNFORESEEN) for job in JOBS), *((job, TimedOut()) for job in JOBS[::9])]


@pytest.mark.parametrize(("job", "error"), CASES)
async def test_a_job_that_fails_for_one_user_is_done_for_the_others(
    context: Context, new_user: Callable[[], str], job: str, error: Exception
) -> None:
    user = new_user()
    bad, good = await filled(context, f"{user}a", job), await filled(context, f"{user}b", job)
    calm = await filled(context, new_user(), job)
    before, untouched = await good.state(), await bad.state()
    with only(calm):
        done = await calm.go_on(await calm.begin(job), job)
    assert done.status is RunStatus.DONE
    async with spoiled(bad, job):
        run = await poisoned(bad, job, error, good)
        assert await bad.state() == untouched
    assert run.status is RunStatus.FAILED
    assert "for some users" in (run.error or "")
    assert "words" not in (run.error or "")
    for found, expected in zip(await good.state(), await calm.state(), strict=True):
        assert found - expected == expected - found == Counter()
    assert await good.state() != before


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("place", ["before", "behind"])
async def test_a_page_that_cannot_be_read_is_read_without_the_row_that_is_to_blame(
    context: Context, new_user: Callable[[], str], job: str, place: str
) -> None:
    user = new_user()
    names = (f"{user}a", f"{user}b") if place == "before" else (f"{user}b", f"{user}a")
    bad, good = [await filled(context, name, job) for name in names]
    calm = await filled(context, new_user(), job)
    untouched = await bad.state()
    with only(calm):
        await calm.go_on(await calm.begin(job), job)
    graph = Unreadable(context.graph, bad.user, await note_ids(bad), UNFORESEEN)
    async with spoiled(bad, job, unreadable=True):
        with only(bad, good):
            run = await good.go_on(await good.begin(job), job, graph)
        assert await bad.state() == untouched
    assert (run.status, run.counts[SKIPPED] > 0) == (RunStatus.FAILED, True)
    assert "words" not in (run.error or "")
    for found, expected in zip(await good.state(), await calm.state(), strict=True):
        assert found - expected == expected - found == Counter()
