"""A service of its own for a test: its clock, its numbers, its embedder."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from clients import Client
from rights_world import World, open_one

from graphmem.app import create_app
from graphmem.domain.profiles.parameters import Ranking
from graphmem.domain.ranking import GRAPH_DEPTH
from graphmem.services.context import Context
from graphmem.services.keys import create_key
from graphmem.services.tracking import RecallLog
from graphmem.settings import Settings

MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } error { message } } } }"""
EXPLAINED = """query Q($input: RecallInput!) { recall(input: $input) { id strategy confidence hits {
  rank score note { id content activation retention relevance tier accessCount lastAccessedAt }
  via { relationship noteId }
  why { similarity keyword graph activation relevance recency domainBoost tierWeight relatedBoost
    noise parts { name value } } } } }"""
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """Stands still unless it is told to move."""

    now = START

    def __call__(self) -> datetime:
        return self.now

    def move(self, hours: float) -> None:
        self.now += timedelta(hours=hours)


class Place:
    """A client of a service with its own clock and numbers."""

    def __init__(self, api: Any, clock: Clock, log: RecallLog) -> None:
        self.api, self.clock, self.log = api, clock, log

    async def ask(self, query: str, profile: str, *, agent: str | None = None, **given: Any) -> Any:
        """The hits of a recall."""
        client = self.api.as_agent(agent) if agent else self.api
        asked = {"query": query, "profile": profile, "explain": True, "track": False, **given}
        return (await client(EXPLAINED, input=asked))["recall"]["hits"]

    async def many(self, *contents: str, **given: Any) -> list[str]:
        """The ids of new notes, stored as said."""
        notes = [{"content": content, **given} for content in contents]
        results = (await self.api(MANY, notes=notes))["rememberMany"]["results"]
        assert not any(result["error"] for result in results)
        return [result["note"]["id"] for result in results]


@pytest.fixture
async def place(context: Any, settings: Any, api: Any) -> AsyncIterator[Callable[..., Any]]:
    """Opens services with other numbers, and an embedder if one is given, for the same user."""
    async with AsyncExitStack() as stack:
        clock = Clock()

        async def open_place(
            embedder: Any = None, reviewing: Any = None, depth: int = GRAPH_DEPTH, **numbers: Any
        ) -> Place:
            log = RecallLog(context.graph)
            opened = replace(
                context,
                clock=clock,
                log=log,
                ranking=Ranking(**numbers),
                embedder=embedder or context.embedder,
                reviewing=reviewing or context.reviewing,
                graph_depth=depth,
            )
            transport = httpx.ASGITransport(app=create_app(settings, opened=opened))
            client = httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8321", timeout=60
            )
            http = await stack.enter_async_context(client)
            return Place(replace(api, http=http), clock, log)

        yield open_place


@pytest.fixture
def cypher(context: Any) -> Callable[..., Any]:
    """Rows of a query of the test's own."""

    async def run(text: str, **parameters: Any) -> list[dict[str, Any]]:
        answer = await context.graph._driver.execute_query(text, parameters)
        return [record.data() for record in answer.records]

    return run


@pytest.fixture
async def keyed(settings: Settings, context: Context) -> AsyncIterator[Callable[..., Any]]:
    """Makes clients that are known by a key, so that nobody is an admin without one."""
    app = create_app(settings.model_copy(update={"auth": "keys"}), opened=context)
    transport = httpx.ASGITransport(app=app)
    url = "http://127.0.0.1:8321"
    async with httpx.AsyncClient(transport=transport, base_url=url, timeout=60) as http:

        async def make(
            user: str, agent: str | None = None, *, admin: bool = False
        ) -> Callable[..., Any]:
            _, secret = await create_key(
                context.graph, context.clock, user=user, agent=agent, admin=admin
            )

            async def ask(query: str, **variables: Any) -> dict[str, Any]:
                headers = {"Authorization": f"Bearer {secret}"}
                body = {"query": query, "variables": variables}
                response = await http.post("/graphql", json=body, headers=headers)
                return response.json()

            return ask

        yield make


@pytest.fixture
def open_world(api: Client, new_user: Callable[[], str]) -> Callable[..., Any]:
    """Opens users who decided who reads what is said at a place."""

    async def open_it(rule: str | None, mark: str | None, *, shared: bool) -> World:
        return await open_one(api, new_user, rule, mark, shared)

    return open_it
