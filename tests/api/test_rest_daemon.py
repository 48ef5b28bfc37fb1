"""The paths of the memory daemon's document, with its fields, bounds and errors."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from clients import Client
from rest import Rest

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings
from graphmem.store.graph import Graph


@pytest.fixture
def rest(http: httpx.AsyncClient, api: Client) -> Rest:
    """REST for the user of `api`."""
    return Rest(http, api.user)


async def stored(rest: Rest, agent: str, text: str, **given: Any) -> str:
    answer = await rest("POST", "/remember", {"agentId": agent, "text": text, **given})
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


async def found(rest: Rest, agent: str, query: str, **given: Any) -> Any:
    answer = await rest("GET", "/recall", agentId=agent, query=query, **given)
    assert answer.status_code == 200, answer.text
    assert answer.json()["count"] == len(answer.json()["results"])
    return answer.json()["results"]


@pytest.mark.feature("DAEM-1")
async def test_a_memory_is_stored_as_it_is_said(rest: Rest, api: Client):
    body = {"agentId": "a", "text": "The red gate is open.", "tags": ["Gate"], "projectId": "p1"}
    told = (await rest("POST", "/remember", body)).json()
    assert told == {"success": True, "id": told["id"], "text": body["text"], "tags": ["Gate"]}
    again = (await rest("POST", "/remember", body)).json()
    assert again["id"] != told["id"]
    query = "query Q($id: ID!) { note(id: $id) { content visibility domain author { id } } }"
    assert (await api(query, id=told["id"]))["note"] == {
        "content": body["text"],
        "visibility": "PRIVATE",
        "domain": "projects/p1",
        "author": {"id": "a"},
    }


@pytest.mark.feature("DAEM-10")
async def test_a_record_comes_back_as_it_was_given(rest: Rest, api: Client):
    body = {"agentId": "a", "text": "The red gate is open.", "tags": ["Gate"], "projectId": "p1"}
    given = {"metadata": {"row": [1, {"of": "näh"}], "deep": None}, "ttl": 3600}
    made = (await rest("POST", "/remember", body | given)).json()["id"]
    query = """query Q($id: ID!) { note(id: $id) { content tags metadata domain author { id }
      createdAt updatedAt expiresAt } }"""
    note = (await api(query, id=made))["note"]
    assert (note["content"], note["tags"], note["author"]) == (body["text"], ["Gate"], {"id": "a"})
    assert (note["metadata"], note["domain"]) == (given["metadata"], "projects/p1")
    created, updated, expires = (
        datetime.fromisoformat(note[each]) for each in ("createdAt", "updatedAt", "expiresAt")
    )
    assert (updated, expires) == (created, created + timedelta(seconds=3600))
    [found_again] = await found(rest, "a", body["text"])
    assert found_again["metadata"] == given["metadata"]
    assert found_again["projectId"] == "p1"
    await stored(rest, "a", "Lunch is at noon on the boat.")
    [lunch] = await found(rest, "a", "Lunch is at noon on the boat.", limit=1)
    assert lunch["projectId"] is None


@pytest.mark.feature("DAEM-2")
@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"text": "x" * 50_000}, 200),
        ({"text": "x" * 50_001}, 400),
        ({"text": "x"}, 200),
        ({"text": ""}, 400),
        ({"text": "x", "tags": [f"t{i}" for i in range(50)]}, 200),
        ({"text": "x", "tags": [f"t{i}" for i in range(51)]}, 400),
    ],
)
async def test_the_bounds_of_a_memory(rest: Rest, given: Any, status: int):
    answer = await rest("POST", "/remember", {"agentId": "a", **given})
    assert answer.status_code == status, answer.text


@pytest.mark.feature("DAEM-3")
async def test_memories_are_found_best_first(rest: Rest):
    metadata = {"source": {"file": "a.md", "line": 3}, "list": [1, None, "x"]}
    one = await stored(rest, "a", "The red gate is open.", tags=["gate"], metadata=metadata)
    await stored(rest, "a", "Lunch is at noon on the boat.")
    results = await found(rest, "a", "The red gate is open.")
    assert results[0]["id"] == one
    assert results[0].keys() == {
        *("id", "text", "score", "tags", "metadata", "createdAt", "projectId")
    }
    assert results[0]["metadata"] == metadata
    assert results[0]["score"] == pytest.approx(1.0, abs=1e-4)
    scores = [each["score"] for each in results]
    assert scores == sorted(scores, reverse=True)
    assert len(await found(rest, "a", "gate", limit=1)) == 1
    near = await found(rest, "a", "The red gate is open.", minScore=0.9)
    assert [each["id"] for each in near] == [one]


@pytest.mark.feature("DAEM-4")
async def test_a_forgotten_memory_is_found_no_more(rest: Rest):
    one = await stored(rest, "a", "The red gate is open.")
    foreign = await rest("DELETE", f"/forget/{one}", agentId="b")
    unknown = await rest("DELETE", "/forget/01920000-0000-7000-8000-000000000000")
    nonsense = await rest("DELETE", "/forget/x")
    for answer in (foreign, unknown, nonsense):
        assert (answer.status_code, answer.json()["success"]) == (404, False)
    assert foreign.json() == unknown.json()
    done = await rest("DELETE", f"/forget/{one}")
    assert done.json() == {"success": True, "message": "memory forgotten"}
    assert await found(rest, "a", "The red gate is open.") == []


@pytest.mark.feature("DAEM-7", "DAEM-11")
async def test_agents_never_reach_each_others_memories(rest: Rest):
    for agent, texts in (("a", ["One bell.", "Two bells."]), ("b", ["Three bells."])):
        for text in texts:
            await stored(rest, agent, text)
    assert {each["text"] for each in await found(rest, "a", "bells")} == {"One bell.", "Two bells."}
    assert {each["text"] for each in await found(rest, "b", "bells")} == {"Three bells."}
    both = (await rest("GET", "/agents")).json()
    assert both["count"] == 2
    told = {each["agentId"]: each["count"] for each in both["agents"]}
    assert told == {"a": 2, "b": 1}
    own = (await rest.as_agent("b")("GET", "/agents")).json()
    assert own == {"agents": [{"agentId": "b", "count": 1}], "count": 1}
    other = await rest.as_agent("b")("GET", "/recall", agentId="a", query="bells")
    assert (other.status_code, other.json()["success"]) == (400, False)


@pytest.mark.feature("DAEM-5", "DAEM-6", "DAEM-8")
async def test_health_and_errors_while_the_database_is_down(
    rest: Rest, context: Context, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    await stored(rest, "a", "One bell.")
    assert (await rest("GET", "/status")).json() == {
        "status": "ready",
        "neo4j": "connected",
        "memories": 1,
    }
    for bad in (
        await rest("GET", "/recall", agentId="a"),
        await rest("POST", "/remember", {"agentId": "a", "text": "x", "ttl": "x"}),
        await rest("POST", "/remember", {"agentId": "a b", "text": "x"}),
    ):
        assert bad.status_code == 400
        assert bad.json() == {"success": False, "error": bad.json()["error"]}
    down = Graph.connect("bolt://127.0.0.1:1", "neo4j", "x", context.graph._queries)
    monkeypatch.setattr("graphmem.store.graph.AWAY_S", 0.1)
    app = create_app(settings, opened=replace(context, graph=down))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client:
        off = Rest(client, rest.user)
        assert (await off("GET", "/health")).json() == {"status": "ok"}
        told = await off("GET", "/status")
        assert told.status_code == 200
        assert told.json() == {"status": "degraded", "neo4j": "disconnected", "memories": None}
        failed = await off("GET", "/recall", agentId="a", query="bell")
        assert (failed.status_code, failed.json()["success"]) == (503, False)
    await down.close()


BASE = "http://127.0.0.1:8321"


@pytest.mark.feature("DAEM-8")
async def test_an_unknown_error_tells_nothing_of_itself(
    rest: Rest, monkeypatch: pytest.MonkeyPatch
):
    async def fail(*given: object, **named: object) -> None:
        raise RuntimeError("the secret of bell 7")

    monkeypatch.setattr("graphmem.operations.commands.recall.recall.recall", fail)
    answer = await rest("GET", "/recall", agentId="a", query="bell")
    assert answer.status_code == 500
    assert answer.json() == {"success": False, "error": "Internal error"}


@pytest.mark.feature("DAEM-9")
async def test_a_memory_with_a_time_to_live_is_gone_by_itself(place: Callable[..., Any]):
    opened = await place()
    rest = Rest(opened.api.http, opened.api.user)
    one = await stored(rest, "a", "The red gate is open.", ttl=60)
    assert len(await found(rest, "a", "red gate")) == 1
    opened.clock.now += timedelta(seconds=61)
    assert await found(rest, "a", "red gate") == []
    deep = await rest("POST", "/v1/recall", {"query": "red gate", "deep": True, "track": False})
    assert deep.json()["hits"] == []
    assert (await rest("GET", f"/v1/notes/{one}")).status_code == 404
    assert (await rest("GET", "/status")).json()["memories"] == 0
