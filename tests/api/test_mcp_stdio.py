"""`graphmem mcp`: the package's own client starts it and works with it over stdin and stdout."""

import sys
from collections.abc import Callable

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_clients import code, told

from graphmem.mcp.offers import OFFERS
from graphmem.server import ServerAddress


@pytest.mark.feature("MUMA-87")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_day_over_stdio(
    neo4j_address: ServerAddress, new_user: Callable[[], str], context: object, mode: str
) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "graphmem", "mcp", "--user", new_user()],
        env={
            "GRAPHMEM_EMBEDDER": "hash",
            "GRAPHMEM_EXTRACTOR": "rules",
            "GRAPHMEM_NEO4J_URI": neo4j_address.bolt_uri,
            "GRAPHMEM_NEO4J_USER": neo4j_address.user,
            "GRAPHMEM_NEO4J_PASSWORD": neo4j_address.password,
            "GRAPHMEM_OPERATION_TIMEOUT_S": "200",
            "PYTHONPATH": ":".join(sys.path),
        },
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        listed = (await client.list_tools()).tools
        every = [tool.name for tools in OFFERS.values() for tool in tools]
        assert [each.name for each in listed] == every
        seen: list[float] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            seen.append(done)

        given = {"content": "The kiln stands in room four."}
        answer = await client.call_tool("memory.write", given, progress_callback=progress)
        made = answer.structured_content
        assert made is not None
        assert seen[0] == 0.0
        found = await told(client, "memory.query", query_text="Where is the kiln?")
        assert [each["note_id"] for each in found["results"]] == [made["note_id"]]
        assert found["results"][0]["agent_id"] == "openclaw"
        assert (
            "room four"
            in (await told(client, "memory.get_context", task_description="Find the kiln"))[
                "relevant_memories"
            ]
        )
        assert (await told(client, "memory.stats", agent_id="painter"))["total_memories"] == 1
        agents = (await told(client, "agent.status"))["agents"]
        assert [(each["agent_id"], each["memory_count"]) for each in agents] == [
            ("openclaw", 1),
            ("painter", 0),
        ]
        assert await code(client, "memory.get", note_id="nothing") == "NOT_FOUND"
