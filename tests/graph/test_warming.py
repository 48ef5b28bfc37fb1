"""A service that warms up changes nothing, and what it sends is what callers send."""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, LiteralString, cast

import httpx
import pytest
from neo4j import GraphDatabase
from structlog.testing import capture_logs

from graphmem import app
from graphmem.errors import Unavailable
from graphmem.server import ServerAddress
from graphmem.services import warming
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.warming import NOBODY, warm_up
from graphmem.settings import Settings
from graphmem.store.graph import Graph, Step
from graphmem.warming import OPERATIONS
from tests.conftest import Client

OF_NOBODY = """MATCH (n)
WHERE n.user = $id OR n.id = $id OR n.stream = $id OR n.name = $id OR n.owner = $id
  OR n.job = $id OR n.name = 'job:' + $id
RETURN count(n) AS n"""


async def test_warming_up_sends_reads_and_writes_and_leaves_nothing(
    context: Context, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: set[str] = set()
    bind = context.graph._queries.bind
    monkeypatch.setattr(
        context.graph._queries,
        "bind",
        lambda name, *given, **how: sent.add(name) or bind(name, *given, **how),
    )
    await warm_up(context, OPERATIONS)
    assert sent >= {
        "viewer/open",
        "actors/put_user",
        "actors/put_agent",
        "recall/candidates",
        "recall/neighbourhood",
        "notes/load",
        "deciding/nearest",
        "notes/change",
        "links/create_many",
        "notes/create",
        "notes/unchanged",
        "consolidation/derive",
        "events/append",
        "jobs/claim",
        "jobs/keep",
        "jobs/finish",
        "reflection/list_summaries",
        "reflection/linked",
        "job:reflect_memory",
        "notes/reinforce",
        "recall/log",
        "entities/get",
        "entities/list",
        "entities/notes_of",
        "entities/of_notes",
        "entities/relations_of",
        "entities/ties",
        "events/list",
        "links/of_notes",
        "notes/list",
        "core/read",
    }
    at = neo4j_address
    with GraphDatabase.driver(at.bolt_uri, auth=(at.user, at.password)) as driver:
        query = cast("LiteralString", OF_NOBODY)
        found = await asyncio.to_thread(driver.execute_query, query, {"id": NOBODY})
    assert found.records[0]["n"] == 0


async def test_what_lives_when_recalls_are_warm_is_left_out_of_garbage_collection(
    context: Context,
) -> None:
    gc.unfreeze()
    await warm_up(context)
    assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() > len(gc.get_objects())  # most of what lives


async def test_reading_as_somebody_leaves_nothing(api: Client, context: Context) -> None:
    await api.remember("Ada Moen works at Halden Labs.")
    before = await api("{ notes { nodes { accessCount } } events { seq } viewer { user { id } } }")
    access = await open_access(context, api.user, None)
    with capture_logs() as logged:
        for operation in OPERATIONS:
            await operation(context.without_traces(), access)
    assert [each for each in logged if "could not" in each["event"]] == []
    await context.log.flush()
    after = await api("{ notes { nodes { accessCount } } events { seq } viewer { user { id } } }")
    assert after == before


async def test_queries_are_planned_again_when_the_graph_has_grown(
    api: Client, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each query that recalls and writes send is sent once to be planned again, then as it is; what
    fails meanwhile does not end that."""
    await api.remember("Ada Moen works at Halden Labs.")
    counts, planned, plain = iter([2, 60, 250, 300, 700]), list[str](), set[str]()
    bind = context.graph._queries.bind
    done = asyncio.Event()

    async def count(_: Graph) -> int:
        if (number := next(counts, None)) is None:
            done.set()
            return 700
        if number == 60:
            raise Unavailable("away for a moment")
        return number

    def bound(name: str, *given: Any, replan: bool = False) -> Any:
        planned.append(name) if replan else plain.add(name)
        return bind(name, *given, replan=replan)

    async def owner(_: Graph) -> str:
        return api.user  # others may be erased meanwhile by another test

    monkeypatch.setattr(warming, "count_notes", count)
    monkeypatch.setattr(warming, "some_owner", owner)
    monkeypatch.setattr(context.graph._queries, "bind", bound)
    task = asyncio.create_task(warming.keep_plans_fitting(context, 1, look_every_s=0.01))
    async with asyncio.timeout(60):
        await done.wait()
    task.cancel()
    times = Counter(planned)
    asked = {"recall/candidates", "recall/neighbourhood", "notes/load", "notes/create"}
    assert {times[name] for name in (*asked, "deciding/nearest")} == {1}
    assert set(times.values()) == {1}
    assert asked - {"notes/create"} <= plain


class Gate:
    """A warm-up that lasts until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.open, self.cancelled = asyncio.Event(), asyncio.Event(), False

    async def __call__(self, context: Context, operations: object, warm: object) -> None:
        self.begun.set()
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate()
    monkeypatch.setattr(warming, "warm_up", gate)
    return gate


async def test_a_service_is_ready_once_it_is_warm(
    context: Context, settings: Settings, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def opened(*_: object, **__: object) -> AsyncIterator[Context]:
        yield context

    monkeypatch.setattr(app, "open_context", opened)
    service = app.create_app(settings)
    transport = httpx.ASGITransport(app=service)
    client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321")
    end = asyncio.Event()

    async def live() -> None:
        async with service.router.lifespan_context(service):
            assert gate.open.is_set()
            await end.wait()

    living = asyncio.create_task(live())
    await gate.begun.wait()
    assert (await client.get("/readyz")).status_code == 503
    gate.open.set()
    while (await client.get("/readyz")).status_code != 200:
        await asyncio.sleep(0.01)
        assert not living.done(), living
    end.set()
    await living
    await client.aclose()


async def test_a_service_is_ready_once_recalls_are_warm(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def operation(*_: object) -> None:
        begun.set()
        await go_on.wait()

    monkeypatch.setattr(warming, "_rehearse_write", operation)
    async with warming.keep_warm(context):
        await begun.wait()


async def test_a_warm_up_that_takes_too_long_is_not_waited_for(
    context: Context, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "PATIENCE_S", 0.05)
    async with warming.keep_warm(context):
        assert gate.begun.is_set()
        assert not gate.cancelled
    assert gate.cancelled


async def test_a_start_that_is_given_up_ends_the_warm_up(context: Context, gate: Gate) -> None:
    async def start() -> None:
        async with warming.keep_warm(context):
            raise AssertionError

    task = asyncio.create_task(start())
    await gate.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gate.cancelled


async def test_a_warm_up_that_fails_is_no_reason_not_to_serve(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(warming, "warm_up", broken)
    async with warming.keep_warm(context):
        pass


async def test_a_rehearsal_is_rolled_back(context: Context, new_user: object) -> None:
    user = new_user()  # type: ignore[operator]
    step = Step("actors/put_user", {"id": user, "name": "Ada", "now": context.clock()})
    await context.graph.rehearse(step)
    assert await context.graph.read("actors/get_users", ids=[user]) == []


async def test_a_start_without_a_graph_is_only_cold(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object, **__: object) -> None:
        raise Unavailable("gone")

    monkeypatch.setattr(Graph, "read", gone)
    await warm_up(context)
