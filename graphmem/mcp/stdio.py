"""MCP over stdin and stdout."""

import asyncio
import contextlib
from contextlib import AbstractAsyncContextManager

from mcp.server.stdio import stdio_server

from graphmem.mcp.caller import Caller
from graphmem.mcp.routes import ENDPOINTS
from graphmem.mcp.server import build_server
from graphmem.operations.authentication import Credentials, OpenAuthenticator
from graphmem.operations.operation import Service
from graphmem.operations.tools import Mcp


async def serve_stdio(
    opening: AbstractAsyncContextManager[Service],
    *,
    user: str,
    agent: str | None,
    unnamed: str | None,
    tools: Mcp,
    seconds: float,
    endpoints: tuple[str, ...] = ENDPOINTS,
) -> None:
    """Serve until stdin ends. It answers what there is at once, while the service is opened; calls
    wait for that. Who runs this has the graph itself, so no key is asked for."""
    ready: asyncio.Future[Service] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()

    async def service() -> Service:
        return await asyncio.shield(ready)

    caller = Caller(
        service=service,
        authenticator=OpenAuthenticator(user),
        credentials=lambda request: Credentials(user=user, agent=agent),
        tools=tools,
        seconds=seconds,
        unnamed=unnamed,
    )
    server = build_server(caller, endpoints)
    holding = asyncio.create_task(_hold(opening, ready, stop))
    try:
        async with stdio_server() as (read, write):
            serving = asyncio.create_task(
                server.run(read, write, server.create_initialization_options())
            )
            await asyncio.wait([serving, holding], return_when=asyncio.FIRST_COMPLETED)
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
    finally:
        stop.set()
        if not ready.done():
            holding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await holding


async def _hold(
    opening: AbstractAsyncContextManager[Service],
    ready: asyncio.Future[Service],
    stop: asyncio.Event,
) -> None:
    """Keep the service open until it is to stop."""
    async with opening as service:
        ready.set_result(service)
        await stop.wait()
