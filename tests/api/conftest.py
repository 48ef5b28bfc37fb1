"""A service of its own for a test: its clock, its numbers, its embedder."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from graphmem.app import create_app
from graphmem.domain.profiles.parameters import Ranking
from graphmem.domain.ranking import GRAPH_DEPTH
from graphmem.services.tracking import RecallLog

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
