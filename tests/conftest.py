"""A real Neo4j for a run of the tests, the service on it, and a client that speaks to it."""

import os
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphmem.ai.embedder import create_embedder
from graphmem.app import connect_context, create_app
from graphmem.server import EmbeddedNeo4j, ServerAddress, default_cache_dir
from graphmem.services.context import Context
from graphmem.settings import Settings

BASE_URL = "http://127.0.0.1:8321"


@pytest.fixture(scope="session")
def neo4j_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerAddress]:
    """GRAPHMEM_TEST_NEO4J_URI (user, password: _USER, _PASSWORD) if set; else a container where
    Docker runs and GRAPHMEM_TEST_CONTAINER is 1; else an embedded server in a fresh folder."""
    if uri := os.environ.get("GRAPHMEM_TEST_NEO4J_URI"):
        user = os.environ.get("GRAPHMEM_TEST_NEO4J_USER", "neo4j")
        password = os.environ.get("GRAPHMEM_TEST_NEO4J_PASSWORD", "")
        yield ServerAddress(uri, user, password, None, 0)
        return
    if os.environ.get("GRAPHMEM_TEST_CONTAINER") == "1" and shutil.which("docker"):
        from testcontainers.community.neo4j import Neo4jContainer

        with Neo4jContainer(image="neo4j:2026.08.1", password="graphmem-test") as container:
            yield ServerAddress(container.get_connection_url(), "neo4j", "graphmem-test", None, 0)
        return
    folder: Path = tmp_path_factory.mktemp("neo4j")
    server = EmbeddedNeo4j(folder, cache_dir=default_cache_dir(), heap="1g", page_cache="256m")
    yield server.start(180)
    server.stop()


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings with the deterministic embedder and a data folder of their own."""
    return Settings(data=tmp_path_factory.mktemp("data"), embedder="hash")


@pytest.fixture(scope="session")
async def context(settings: Settings, neo4j_address: ServerAddress) -> AsyncIterator[Context]:
    """The parts of a running service."""
    embedder = create_embedder("hash")
    async with connect_context(settings, embedder, neo4j_address) as opened:
        yield opened
    await embedder.close()


@dataclass(frozen=True)
class Client:
    """A client that speaks GraphQL as one user or one of the user's agents."""

    http: httpx.AsyncClient
    user: str
    agent: str | None = None

    def as_agent(self, agent: str) -> "Client":
        """The same user's agent."""
        return Client(self.http, self.user, agent)

    def as_user(self, user: str) -> "Client":
        """Another user in person."""
        return Client(self.http, user)

    async def post(self, query: str, **variables: Any) -> dict[str, Any]:
        """The whole answer, with data and errors."""
        headers = {"X-Graphmem-User": self.user}
        if self.agent:
            headers["X-Graphmem-Agent"] = self.agent
        response = await self.http.post(
            "/graphql", json={"query": query, "variables": variables}, headers=headers
        )
        return response.json()

    async def __call__(self, query: str, **variables: Any) -> Any:
        """The data; fails the test when there are errors."""
        answer = await self.post(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    async def code(self, query: str, **variables: Any) -> str:
        """The code of the first error; fails the test when there is none."""
        answer = await self.post(query, **variables)
        assert answer.get("errors"), answer
        return answer["errors"][0]["extensions"]["code"]

    async def remember(self, content: str, **given: Any) -> dict[str, Any]:
        """Remember one note; the payload."""
        data = await self(REMEMBER, input={"content": content, **given})
        return data["remember"]

    async def recall(self, query: str, **given: Any) -> list[dict[str, Any]]:
        """The hits of a recall that leaves no trace."""
        data = await self(RECALL, input={"query": query, "track": False, **given})
        return data["recall"]["hits"]


REMEMBER = """mutation R($input: RememberInput!) { remember(input: $input) {
  operation reason note { id version content title keywords tags context domain visibility status
    accessCount halfLifeHours externalId createdAt expiresAt } } }"""
RECALL = """query Q($input: RecallInput!) { recall(input: $input) { confidence strategy hits {
  rank score note { id content title domain visibility } via { relationship label noteId entityId }
  why { similarity keyword graph } } } }"""


@pytest.fixture(scope="session")
async def http(settings: Settings, context: Context) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client wired to the service in this process."""
    transport = httpx.ASGITransport(app=create_app(settings, opened=context))
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL, timeout=60) as client:
        yield client


@pytest.fixture
def new_user() -> Callable[[], str]:
    """Makes user ids that no other test has."""
    return lambda: f"u-{secrets.token_hex(6)}"


@pytest.fixture
async def api(http: httpx.AsyncClient, new_user: Callable[[], str]) -> Client:
    """A client of a fresh user in person."""
    return Client(http, new_user())
