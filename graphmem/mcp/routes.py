"""The routes of MCP: an endpoint for each group of tools, and the metadata that asks clients for a
key.

The SDK is loaded when the first request comes: it takes a second, and many services never need
it."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem.errors import GraphmemError, Unauthenticated
from graphmem.operations.authentication import Authenticator
from graphmem.operations.codes import Failure, failure_of, headers_of
from graphmem.operations.limits import BODY_BYTES, OPERATION_S
from graphmem.operations.operation import Service
from graphmem.operations.tools import Mcp

ENDPOINTS: Final = ("memory", "orchestrator", "commons")
REFUSED: Final = -32000  # from the range that JSON-RPC leaves to servers
PREFIX: Final = "/mcp"
WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"


def mcp_routes(
    get_service: Callable[[], Service],
    *,
    authenticator: Authenticator,
    tools: Mcp,
    keys: bool,
    operation_timeout_s: float = OPERATION_S,
    body_limit: int = BODY_BYTES,
) -> list[BaseRoute]:
    """Return `/mcp/memory`, `/mcp/orchestrator` and `/mcp/commons`; with `keys` also the metadata
    of RFC 9728, which says that a key is sent as a bearer token."""
    routes: list[BaseRoute] = []
    for name in ENDPOINTS:
        given: dict[str, Any] = {
            "tools": tools,
            "seconds": operation_timeout_s,
            "body_limit": body_limit,
        }
        endpoint = LazyEndpoint(name, get_service, authenticator, given)
        routes.append(Route(f"{PREFIX}/{name}", endpoint, methods=["POST"]))
        if keys:
            routes.append(Route(f"{WELL_KNOWN}/mcp/{name}", _metadata_of(name)))
    return routes


class LazyEndpoint:
    """An endpoint that is built at its first request."""

    def __init__(
        self,
        name: str,
        get_service: Callable[[], Service],
        authenticator: Authenticator,
        given: dict[str, Any],
    ) -> None:
        self._name = name
        self._get_service = get_service
        self._authenticator = authenticator
        self._given = given
        self._made: tuple[Service, ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            app = await self._load_app()
        except GraphmemError as error:
            app = refused(scope, failure_of(error), self._name)
        await app(scope, receive, send)

    async def _load_app(self) -> ASGIApp:
        service = self._get_service()
        if self._made is None or self._made[0] is not service:
            module = await asyncio.to_thread(import_module, "graphmem.mcp.http")
            made = module.build_endpoint(self._name, service, self._authenticator, **self._given)
            self._made = (service, made)
        return self._made[1]


def mcp_refusal(scope: Scope, failure: Failure) -> Response | None:
    """Return the answer to a request for MCP that reaches no endpoint; None for other requests."""
    begin, _, name = scope["path"].rpartition("/")
    return refused(scope, failure, name) if begin == PREFIX and name in ENDPOINTS else None


def refused(scope: Scope, failure: Failure, name: str) -> Response:
    """Return a failure in the form of JSON-RPC. Without a key, a hint says where keys are
    described."""
    error = {"code": REFUSED, "message": failure.message, "data": {"code": failure.code}}
    headers = headers_of(failure)
    if failure.code == Unauthenticated.code:
        address = Request(scope).url.replace(path=f"{WELL_KNOWN}{PREFIX}/{name}", query="")
        headers["WWW-Authenticate"] = f'Bearer resource_metadata="{address}"'
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, failure.status, headers)


def _metadata_of(name: str) -> Callable[[Request], Any]:
    async def metadata(request: Request) -> Response:
        address = request.url.replace(path=f"/mcp/{name}", query="")
        return JSONResponse(
            {
                "resource": str(address),
                "resource_name": f"graphmem {name}",
                "bearer_methods_supported": ["header"],
            }
        )

    return metadata
