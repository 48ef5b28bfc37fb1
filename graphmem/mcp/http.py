"""MCP over HTTP: each request by itself, without a session."""

from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from graphmem.mcp.caller import Caller, Request
from graphmem.mcp.server import build_server
from graphmem.operations.authentication import ADMITTED, Authenticator, Credentials
from graphmem.operations.operation import Service
from graphmem.operations.tools import Mcp


class McpEndpoint:
    """One endpoint, as an ASGI application for POST."""

    def __init__(self, server: Server[Any], body_limit: int) -> None:
        self._server = server
        self._body_limit = body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Its manager lives only as long as the request, so nothing has to be
        closed."""
        manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            max_request_body_size=self._body_limit,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def build_endpoint(
    name: str,
    service: Service,
    authenticator: Authenticator,
    *,
    tools: Mcp,
    seconds: float,
    body_limit: int,
) -> McpEndpoint:
    """Return the endpoint with this name. The headers of each request say who asks."""

    async def opened() -> Service:
        return service

    caller = Caller(
        service=opened,
        authenticator=authenticator,
        credentials=credentials_of,
        tools=tools,
        seconds=seconds,
    )
    return McpEndpoint(build_server(caller, (name,)), body_limit)


def credentials_of(request: Request) -> Credentials:
    """Return the credentials in the headers of a request."""
    http = request.request
    if http is None:
        return Credentials()
    return Credentials.of(http.headers, admitted=http.scope.get(ADMITTED))
