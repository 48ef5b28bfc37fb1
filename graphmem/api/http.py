"""Middleware around every HTTP and WebSocket request, and the routes that report the health of the
service.

They are plain ASGI applications: Starlette's `BaseHTTPMiddleware` would buffer streams."""

import asyncio
import re
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphmem.api.bodies import Bodies
from graphmem.api.pages import LoopbackHost, OwnPages
from graphmem.errors import GraphmemError
from graphmem.operations.codes import log_fault
from graphmem.operations.metering import ANSWERS, OTHER, Meter

READY_SECONDS = 5.0
PROTOCOLS = {
    "": "dashboard",
    **{name: name for name in ("graphql", "mcp", "dashboard")},
    **dict.fromkeys(("v1", "remember", "recall", "forget", "agents", "status", "health"), "rest"),
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def middleware_of(
    *,
    loopback_only: bool,
    allowed_origins: Sequence[str] = (),
    meter: Callable[[], Meter | None] = lambda: None,
    **bodies: Any,
) -> list[Middleware]:
    """Return the middleware of the service, outermost first; `bodies` are the arguments of
    `Bodies`.

    `loopback_only` is for the mode that asks for no key: a page that a browser of this machine
    loads from elsewhere must reach nothing, neither by its origin nor by a name that it rebinds."""
    pages = [Middleware(OwnPages, allowed_origins=allowed_origins)]
    if loopback_only:
        pages = [Middleware(LoopbackHost), Middleware(OwnPages, old_browsers=False)]
    return [
        Middleware(RequestId),
        Middleware(CountedAnswers, meter=meter),
        Middleware(SecurityHeaders),
        *pages,
        Middleware(Bodies, **bodies),
    ]


class RequestId:
    """Gives each request an id, in the log and in `X-Request-Id`; a valid id in the request is
    used."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request under its id."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            headers = {"X-Request-Id": request_id}
            await self.app(scope, receive, _add_headers(send, headers))


class CountedAnswers:
    """Counts the answers over HTTP in the meter of the service, once there is one, and follows each
    request where traces are wanted."""

    def __init__(self, app: ASGIApp, meter: Callable[[], Meter | None]) -> None:
        self.app = app
        self.meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http" or (meter := self.meter()) is None:
            await self.app(scope, receive, send)
            return
        protocol, method = _protocol_of(scope["path"]), scope["method"]
        method = method if method in METHODS else "_OTHER"
        trace = Headers(scope=scope).get("traceparent", "")
        labels = {"http.request.method": method}  # the path could name a user or an agent
        with meter.spans.open(f"{method} {protocol}", labels, trace) as tell:

            async def counting(message: Message) -> None:
                if message["type"] == "http.response.start":
                    meter.count(ANSWERS, protocol, str(message["status"]))
                    tell("http.response.status_code", message["status"])
                await send(message)

            await self.app(scope, receive, counting)


def _protocol_of(path: str) -> str:
    """Return the protocol of a path, by its first part."""
    return PROTOCOLS.get(path.strip("/").partition("/")[0], OTHER)


class SecurityHeaders:
    """Adds security headers for browsers, unless the answer sets them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with these headers."""
        if scope["type"] == "http":
            send = _add_headers(send, SECURITY_HEADERS)
        await self.app(scope, receive, send)


def health_routes(ready: Callable[[], Awaitable[None]], version: str, sdl: str) -> list[Route]:
    """Return `/livez`, `/readyz`, `/version` and `/schema.graphql`.

    `ready` raises if the service can't work; it has 5 seconds."""

    async def livez(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(request: Request) -> Response:
        try:
            async with asyncio.timeout(READY_SECONDS):
                await ready()
        except (GraphmemError, TimeoutError):
            return JSONResponse({"status": "unavailable"}, 503)
        except Exception as error:
            log_fault(error, "readiness check failed")
            return JSONResponse({"status": "unavailable"}, 503)
        return JSONResponse({"status": "ok"})

    async def tell_version(request: Request) -> Response:
        return JSONResponse({"name": "graphmem", "version": version})

    async def schema(request: Request) -> Response:
        return PlainTextResponse(sdl)

    return [
        Route("/livez", livez),
        Route("/readyz", readyz),
        Route("/version", tell_version),
        Route("/schema.graphql", schema),
    ]


def _add_headers(send: Send, headers: dict[str, str]) -> Send:
    """Return a `send` that adds headers to the start of an answer, unless they are set."""

    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            message.setdefault("headers", [])
            present = MutableHeaders(scope=message)
            for name, value in headers.items():
                present.setdefault(name, value)
        await send(message)

    return sending
