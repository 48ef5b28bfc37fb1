"""How much a job does at once, by a clock that the test moves."""

from typing import Any

import pytest

from graphmem.services.callers import HERE_S, REST, Callers
from graphmem.services.job_runs.pace import (
    ALONE,
    BESIDE_CALLERS,
    FIRST,
    LEAST,
    MOST,
    MOST_REST_S,
    PAGE,
    PAGE_BESIDE_CALLERS,
    TARGET_S,
    Pace,
)


class Time:
    """A clock that stands still but for what takes time."""

    def __init__(self) -> None:
        self.now, self.rests = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds


class Neo4j:
    """Takes `each_s` for each note of a transaction and `read_s` for a read."""

    def __init__(self, time: Time) -> None:
        self.time, self.each_s, self.read_s, self.wrote = time, 0.001, 0.002, list[int]()

    async def write(self, notes: list[int]) -> str:
        self.time.now += len(notes) * self.each_s
        self.wrote.append(len(notes))
        return "written"

    async def read(self, name: str) -> str:
        self.time.now += self.read_s
        return name

    run_batches = read


class Run:
    """A run of a job and the graph that it has."""

    def __init__(self) -> None:
        self.time = Time()
        self.callers = Callers(self.time)
        self.neo4j = Neo4j(self.time)
        self.pace = Pace(self.callers, self.time, self.time.sleep)
        self.graph: Any = self.pace.of(self.neo4j)  # type: ignore[arg-type]

    async def writes(self, count: int, kind: str = "decay") -> list[int]:
        """Change so many notes; how many each transaction changed."""
        begun = len(self.neo4j.wrote)
        for batch in self.pace.batches(kind, list(range(count))):
            assert await self.graph.write(batch) == "written"
        return self.neo4j.wrote[begun:]


@pytest.fixture
def run() -> Run:
    return Run()


async def test_all_rows_come_once_and_in_order(run: Run) -> None:
    seen = []
    for batch in run.pace.batches("decay", range(123)):
        seen += batch
        await run.graph.write(batch)
    assert seen == list(range(123))
    assert list(run.pace.batches("decay", [])) == []


async def test_transactions_grow_while_they_are_short_and_have_a_bound(run: Run) -> None:
    run.neo4j.each_s = 0.0001
    sizes = await run.writes(400)
    assert sizes[:4] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
    assert set(sizes[4:-1]) == {MOST}


async def test_transactions_become_as_long_as_they_should_be(run: Run) -> None:
    run.neo4j.each_s = TARGET_S / 8.5
    assert set((await run.writes(100))[-7:-1]) == {8}
    run.neo4j.each_s = TARGET_S / 5.5  # everything has become slower
    assert (await run.writes(30))[1:4] == [5, 5, 5]
    run.neo4j.each_s = 10 * TARGET_S  # a few, however long that takes
    assert (await run.writes(30))[1:4] == [LEAST, LEAST, LEAST]
    run.neo4j.each_s = TARGET_S / 100
    assert (await run.writes(50))[:4] == [LEAST, 2 * LEAST, 4 * LEAST, 50 - 7 * LEAST]


async def test_kinds_have_sizes_of_their_own(run: Run) -> None:
    run.neo4j.each_s = 0.0001
    await run.writes(400, "decay")
    assert (await run.writes(8, "compress"))[0] == FIRST


async def test_pages_have_the_same_sizes(run: Run) -> None:
    run.neo4j.each_s = 0.0001
    sizes = []
    for limit in run.pace.limits("events"):
        sizes.append(limit)
        await run.graph.write(list(range(limit)))
        if len(sizes) == 5:
            break
    assert sizes == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST, MOST]


async def test_a_job_rests_while_callers_are_served_and_only_then(run: Run) -> None:
    await run.writes(FIRST)
    assert await run.graph.read("notes/list") == "notes/list"
    assert run.time.rests == []
    run.callers.came()
    await run.graph.read("notes/list")
    run.neo4j.read_s = 60.0
    run.callers.came()
    await run.graph.read("notes/list")
    assert run.time.rests == [pytest.approx(REST * 0.002)], "nobody has come for a minute"
    run.neo4j.read_s = 0.9 * HERE_S
    run.callers.came()
    await run.graph.read("notes/list")
    assert run.time.rests[1:] == [MOST_REST_S], "a rest has a bound"


async def test_a_job_rests_after_what_failed_too(run: Run) -> None:
    async def fails(_: object) -> None:
        run.time.now += 0.01
        raise ValueError

    run.neo4j.write = fails  # type: ignore[method-assign, assignment]
    run.callers.came()
    with pytest.raises(ValueError, match=r"^$"):
        await run.pace.of(run.neo4j).write([])  # type: ignore[arg-type, list-item]
    assert run.time.rests == [pytest.approx(REST * 0.01)]


async def test_statements_of_jobs_are_smaller_while_callers_are_served(run: Run) -> None:
    assert (run.pace.page(), run.pace.batch_size()) == (PAGE, ALONE)
    await run.graph.run_batches("job:sweep_decay")
    assert run.time.rests == []
    run.callers.came()
    assert (run.pace.page(), run.pace.batch_size()) == (PAGE_BESIDE_CALLERS, BESIDE_CALLERS)
    await run.graph.run_batches("job:sweep_decay")
    assert len(run.time.rests) == 1
