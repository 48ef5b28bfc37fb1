"""A service on a server of its own, since a migration goes through everybody's notes."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, create_app
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.settings import Settings


@pytest.fixture(scope="package")
def neo4j_address(emptied: Callable[[], ServerAddress]) -> ServerAddress:
    return emptied()


@pytest.fixture(scope="package")
async def context(settings: Settings, neo4j_address: ServerAddress) -> AsyncIterator[Context]:
    embedder = create_embedder("hash")
    async with connect_context(settings, embedder, neo4j_address) as opened:
        yield opened
    await embedder.close()


@pytest.fixture(scope="package")
async def http(settings: Settings, context: Context) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_app(settings, opened=context))
    url = "http://127.0.0.1:8321"
    async with httpx.AsyncClient(transport=transport, base_url=url, timeout=60) as client:
        yield client
