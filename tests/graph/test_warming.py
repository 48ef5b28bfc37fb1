"""A service that warms up changes nothing, and what it sends is what callers send."""

import asyncio
from typing import LiteralString, cast

import pytest
from neo4j import GraphDatabase

from graphmem.errors import Unavailable
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.services.warming import NOBODY, warm_up
from graphmem.store.graph import Graph, Step

OF_NOBODY = """MATCH (n)
WHERE n.user = $id OR n.id = $id OR n.stream = $id OR n.name = $id OR n.owner = $id
RETURN count(n) AS n"""


@pytest.mark.feature("DAEM-37")
async def test_warming_up_sends_reads_and_writes_and_leaves_nothing(
    context: Context, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: set[str] = set()
    bind = context.graph._queries.bind
    monkeypatch.setattr(
        context.graph._queries, "bind", lambda name, *given: sent.add(name) or bind(name, *given)
    )
    await warm_up(context)
    assert sent >= {
        "viewer/open",
        "recall/candidates",
        "recall/neighbourhood",
        "notes/load",
        "deciding/nearest",
        "notes/create",
        "entities/mention",
        "events/append",
        "notes/reinforce",
        "recall/log",
    }
    at = neo4j_address
    with GraphDatabase.driver(at.bolt_uri, auth=(at.user, at.password)) as driver:
        query = cast("LiteralString", OF_NOBODY)
        found = await asyncio.to_thread(driver.execute_query, query, {"id": NOBODY})
    assert found.records[0]["n"] == 0


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
