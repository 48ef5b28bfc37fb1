"""Recalls are counted once each, whatever happens to the graph or to the service."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graphmem.errors import Conflict, Unavailable
from graphmem.services.tracking import BATCH, RECALLED, Recalled, RecallLog, steps_of
from graphmem.store.graph import Step


def recalled(i: int) -> Recalled:
    return Recalled(
        id=f"r{i}",
        user="ada",
        agent=None,
        query="kiln",
        at=datetime(2026, 3, 1, tzinfo=UTC),
        strategy="HYBRID",
        profile="BALANCED",
        domain="general",
        hits=(("a", 1.0),),
    )


class Slow:
    """A graph that takes its time, keeps each recall once, and may fail first."""

    def __init__(self, *failures: Exception, bad: str = "", seconds: float = 0.0) -> None:
        self.kept: Counter[str] = Counter()
        self._failures, self._bad, self._seconds = list(failures), bad, seconds

    async def write(self, *steps: Step) -> None:
        await asyncio.sleep(self._seconds)
        if self._failures:
            raise self._failures.pop(0)
        users: Any = steps[-1].parameters["users"]
        ids = [recall["id"] for user in users for recall in user["recalls"]]
        if self._bad in ids:
            raise RuntimeError("Neo4j refuses a query")
        if any(i in self.kept for i in ids):
            raise Conflict
        self.kept.update(ids)

    async def read(self, query: str, **given: Any) -> list[dict[str, Any]]:
        assert query == "recall/logged"
        return [{"ids": [i for i in given["ids"] if i in self.kept]}]


def log_of(graph: Any, count: int) -> RecallLog:
    log = RecallLog(graph)
    for i in range(count):
        log.track(recalled(i))
    return log


def each_once(count: int) -> dict[str, int]:
    return {f"r{i}": 1 for i in range(count)}


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3, 0.5])
async def test_a_stop_in_the_middle_of_a_batch_counts_everything_once(seconds: float) -> None:
    graph = Slow(seconds=0.2)
    log = log_of(graph, BATCH + 50)
    await log.start()
    await asyncio.sleep(seconds)
    log.track(recalled(BATCH + 50))
    await log.close()
    assert graph.kept == each_once(BATCH + 51)


async def test_who_waits_and_who_is_cancelled_count_nothing_twice() -> None:
    graph = Slow(seconds=0.1)
    log = log_of(graph, 30)
    waiting = [asyncio.create_task(log.write_recall("r3")) for _ in range(5)]
    await asyncio.sleep(0.05)
    waiting[0].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await log.close()
    assert graph.kept == each_once(30)


async def test_what_was_written_without_an_answer_is_not_written_again() -> None:
    graph = Slow()
    log = log_of(graph, 10)
    graph.kept.update(f"r{i}" for i in range(4))
    assert await log.flush()
    assert graph.kept == each_once(10)


async def test_what_the_graph_does_not_take_now_is_kept() -> None:
    graph = Slow(Unavailable())
    log = log_of(graph, 3)
    assert not await log.flush()
    assert await log.flush()
    assert graph.kept == each_once(3)


async def test_one_that_can_not_be_written_does_not_keep_others_from_it() -> None:
    graph = Slow(bad="r7")
    log = log_of(graph, BATCH)
    await log.close()
    assert graph.kept == {i: n for i, n in each_once(BATCH).items() if i != "r7"}


def test_accesses_of_a_batch_are_counted_in_one_step_with_a_factor_for_each_note() -> None:
    twice = replace(recalled(1), hits=(("b", 1.0), ("a", 0.5)))
    counted, logged = steps_of([recalled(0), twice])
    rows: Any = counted.parameters["rows"]
    assert [(row["id"], len(row["times"]), row["factor"]) for row in rows] == [
        ("a", 2, RECALLED**2),
        ("b", 1, RECALLED),
    ]
    assert logged.query == "recall/log"
    assert [step.query for step in steps_of([replace(recalled(2), hits=())])] == ["recall/log"]
