"""MCP clients of the package itself, over HTTP to a service in this process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from graphmem.mcp.failures import ERROR

BASE_URL = "http://127.0.0.1:8321"


@asynccontextmanager
async def over_http(
    app: Any, endpoint: str, headers: dict[str, str], *, mode: str = "auto"
) -> AsyncIterator[Client]:
    """A client of one endpoint."""
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(
        transport=transport, base_url=BASE_URL, headers=headers, timeout=60
    ) as http:
        wire = streamable_http_client(f"{BASE_URL}/mcp/{endpoint}", http_client=http)
        async with Client(wire, mode=mode) as client:
            yield client


async def told(client: Client, tool: str, **given: Any) -> Any:
    """The structured answer of a tool; fails the test when it is an error."""
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def code(client: Client, tool: str, **given: Any) -> str:
    """The code of a tool's error; fails the test when there is none."""
    answer = await client.call_tool(tool, given)
    assert answer.is_error, answer.structured_content
    return error_of(answer)["code"]


def error_of(answer: Any) -> Any:
    """The error of an answer, which clients do not hold to the schema of the tool's answers."""
    assert answer.structured_content is None
    error = answer.meta[ERROR]
    assert answer.content[0].text.startswith(f"{error['code']}: {error['message']}")
    return error
