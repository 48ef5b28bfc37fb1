"""A database that is away: a caller hears so after a time that is the same for every way to be."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from neo4j.exceptions import ServiceUnavailable, TransientError

from graphmem.errors import Unavailable
from graphmem.resources import folder
from graphmem.store import graph as module
from graphmem.store.graph import Graph, Step, retry
from graphmem.store.queries import Queries

DEADLINES = (module.CONNECT_S, module.ACQUIRE_S, module.AWAY_S)  # as they are without tests
LONG_S = 60.0  # what an attempt may take by itself; so long nobody waits
MUCH_LESS_S = 20.0


Treat = Callable[[int, asyncio.StreamWriter], None]


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AWAY_S", 0.5)
    monkeypatch.setattr(module, "ACQUIRE_S", LONG_S)
    monkeypatch.setattr(module, "CONNECT_S", LONG_S)


@asynccontextmanager
async def listening(treat: Treat) -> AsyncIterator[tuple[str, list[int]]]:
    """A server that is no Neo4j: its address, and the connections so far."""
    seen: list[int] = []
    writers: list[asyncio.StreamWriter] = []

    def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(len(seen) + 1)
        writers.append(writer)
        treat(seen[-1], writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"bolt://127.0.0.1:{port}", seen
    finally:
        for writer in writers:
            writer.close()
        server.close()


def operations(graph: Graph) -> list[Callable[[], object]]:
    return [lambda: graph.read("meta/embedding"), lambda: graph.write(Step("meta/embedding"))]


async def refused(uri: str) -> float:
    """Seconds until a read and a write were refused."""
    graph = Graph.connect(uri, "neo4j", "x", Queries(folder("cypher"), folder("jobs")))
    began = time.monotonic()
    for operation in operations(graph):
        with pytest.raises(Unavailable):
            await operation()  # type: ignore[misc]
    await graph.close()
    return time.monotonic() - began


def close_first(number: int, writer: asyncio.StreamWriter) -> None:
    if number % 2:
        writer.close()


def close_all(number: int, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def test_a_black_hole_after_a_failure_is_left_at_the_deadline():
    """The second attempt gets a connection that says nothing, for which it would wait long."""
    async with listening(close_first) as (uri, seen):
        assert await refused(uri) < MUCH_LESS_S
    assert len(seen) == 4  # two for the read, two for the write


async def test_a_black_hole_alone_costs_no_second_attempt(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "ACQUIRE_S", 0.5)
    async with listening(lambda number, writer: None) as (uri, seen):
        assert await refused(uri) < MUCH_LESS_S
    assert len(seen) == 2


async def test_a_server_that_hangs_up_is_tried_again_until_the_deadline():
    async with listening(close_all) as (uri, seen):
        assert await refused(uri) < MUCH_LESS_S
    assert 2 < len(seen) <= 12


async def test_a_stopped_server_is_tried_again_until_the_deadline():
    async with listening(close_all) as (uri, _):
        pass
    assert await refused(uri) < MUCH_LESS_S


def test_the_deadline_leaves_time_to_answer_within_five_seconds():
    connect, acquire, away = DEADLINES
    assert max(connect, acquire) <= away < 5


async def test_after_a_deadlock_the_next_attempt_takes_its_time():
    failures = [TransientError(), TransientError()]

    async def attempt() -> str:
        if failures:
            raise failures.pop()
        await asyncio.sleep(2 * module.AWAY_S)
        return "done"

    assert await retry(attempt) == "done"


async def test_a_deadlock_after_a_slow_beginning_is_tried_again():
    failures = [TransientError()]

    async def attempt() -> str:
        if failures:
            await asyncio.sleep(2 * module.AWAY_S)
            raise failures.pop()
        return "done"

    assert await retry(attempt) == "done"


async def test_what_is_no_passing_failure_is_told_at_once():
    attempts = []

    async def attempt() -> None:
        attempts.append(1)
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        await retry(attempt)
    assert len(attempts) == 1


async def test_a_database_that_comes_back_in_time_is_not_noticed():
    failures = [ServiceUnavailable("gone"), ServiceUnavailable("gone")]

    async def attempt() -> str:
        if failures:
            raise failures.pop()
        return "back"

    assert await retry(attempt) == "back"
