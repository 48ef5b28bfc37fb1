"""MCP over stdin and stdout."""

import asyncio

from mcp.server.stdio import stdio_server

from graphmem.mcp.caller import Caller
from graphmem.mcp.reconnecting import WATCH_S, Alive, Opening, ReconnectingService
from graphmem.mcp.routes import ENDPOINTS
from graphmem.mcp.server import build_server
from graphmem.operations.authentication import Credentials, OpenAuthenticator
from graphmem.operations.tools import Mcp


async def serve_stdio(
    opening: Opening,
    *,
    alive: Alive,
    user: str,
    agent: str | None,
    unnamed: str | None,
    tools: Mcp,
    seconds: float,
    files: bool = False,
    endpoints: tuple[str, ...] = ENDPOINTS,
    watch_s: float = WATCH_S,
) -> None:
    """Serve until stdin ends. It answers what there is at once, while the service is opened; calls
    wait for that. A service that no longer answers is opened anew. Who runs this has the graph
    itself, so no key is asked for. `files`: memory in files is shown, too. Raises what `opening`
    does at the first time."""
    connection = ReconnectingService(opening, alive, watch_s)
    caller = Caller(
        service=connection.service,
        authenticator=OpenAuthenticator(user),
        credentials=lambda request: Credentials(user=user, agent=agent),
        tools=tools,
        seconds=seconds,
        files=files,
        unnamed=unnamed,
    )
    server = build_server(caller, endpoints)
    async with connection.connected() as running, stdio_server() as (read, write):
        serving = asyncio.create_task(
            server.run(read, write, server.create_initialization_options())
        )
        await asyncio.wait([serving, running], return_when=asyncio.FIRST_COMPLETED)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
