"""MCP over stdin and stdout."""

import asyncio
from typing import Any

from mcp.server.stdio import stdio_server

from graphmem.mcp.caller import Caller
from graphmem.mcp.reconnecting import WATCH_S, Alive, Opening, ReconnectingService
from graphmem.mcp.routes import ENDPOINTS
from graphmem.mcp.server import build_server
from graphmem.mcp.stdin_lines import stdin_lines
from graphmem.operations.authentication import Credentials, OpenAuthenticator
from graphmem.operations.tools import Mcp

END_S = 1.0  # for lines that came before the end


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
    """Serve until stdin ends. Requests are answered at once, while the service is opened; calls
    wait for the service. A service that no longer answers is opened again. Whoever runs this has
    access to the graph, so no key is needed. With `files`, memory files are shown, too. Raises what
    `opening` does the first time."""
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
    with stdin_lines() as lines:
        file: Any = lines  # only the lines of the file are used
        async with connection.connected() as running, stdio_server(file) as (read, write):
            serving = asyncio.create_task(
                server.run(read, write, server.create_initialization_options())
            )
            await asyncio.wait([serving, running], return_when=asyncio.FIRST_COMPLETED)
            lines.end()  # if the service can't be opened, the client may keep stdin open
            await asyncio.wait(
                [serving], timeout=END_S
            )  # calls may wait for a service that never comes
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
