"""The rule for requests from web pages: the same for every route, HTTP and WebSocket.

A page of any site can make the browser of a user send requests here: by images, scripts, links,
frames, forms, fetch, EventSource, WebSocket. The service knows no cookies, so with keys such a
request is nobody's. Where no key is asked for it would be the user's own. So each must pass:

1. `Host`, where no key is asked for, is a loopback name: a page that rebinds its own name to this
   machine counts for the browser as one of ours.
2. `Sec-Fetch-Site`, which today's browsers send to loopback and HTTPS addresses and no page can
   change, is `same-origin`; or `none` on a GET: the user typed the address, no page sent it. Not
   `same-site`, for that is also a page from another port of this machine.
3. `Origin`, sent with every POST, preflight, WebSocket and readable GET of another site, is ours.
   One of the origins that the settings allow passes 2 and 3. A preflight is never granted.
4. Where no key is asked for, a browser that sends no `Sec-Fetch-Site` is too old to say whose page
   asks: then a header is needed that no page can send to another site without a preflight. Every
   browser calls itself Mozilla, which curl and the libraries of programs do not. What says
   nothing of a user (`/livez` and the like) is left out, for probes have odd names, too.

Nothing of an answer can be read by another site, for none grants it (no CORS headers). And should
a GET come through all this, it changes nothing and leaves no trace (`services.context`); that its
recalls count needs a header of rule 4 and no word of another site (`operations.authentication`)."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem.api.errors import refusal_response
from graphmem.api.negotiation import JSON, media_type
from graphmem.errors import Forbidden
from graphmem.operations.authentication import (
    AGENT_HEADER,
    AUTHORIZATION,
    CLIENT_HEADER,
    USER_HEADER,
)
from graphmem.operations.codes import Failure

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
IMPERSONAL = (
    "/livez",
    "/readyz",
    "/version",
    "/health",
    "/v1/health",
)  # rule 4 need not guard these
OWN_HEADERS = (USER_HEADER, AGENT_HEADER, CLIENT_HEADER, AUTHORIZATION)  # need a preflight


class LoopbackHost:
    """Answers only requests that name this machine by a loopback name (rule 1)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        if scope["type"] in ("http", "websocket"):
            hosts = Headers(scope=scope).getlist("host")
            if len(hosts) != 1 or _split_host(hosts[0], "http")[0] not in LOOPBACK_NAMES:
                await _refuse(scope, receive, send, "The Host header must name this machine")
                return
        await self.app(scope, receive, send)


class OwnPages:
    """Refuses what pages of other sites make a browser send (rules 2 to 4)."""

    def __init__(
        self, app: ASGIApp, *, allowed_origins: Sequence[str] = (), old_browsers: bool = True
    ) -> None:
        """Wrap an application. `allowed_origins` may ask, too; without `old_browsers`, rule 4
        applies."""
        self.app = app
        self.allowed = {_parse_origin(origin) for origin in allowed_origins} - {None}
        self.old_browsers = old_browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            if not self._may_ask(scope, headers):
                await _refuse(scope, receive, send, "Requests from this origin are refused")
                return
            if not self.old_browsers and _is_old_browser(scope, headers):
                message = "A browser must send Sec-Fetch-Site, or X-Graphmem-User with its request"
                await _refuse(scope, receive, send, message)
                return
        await self.app(scope, receive, send)

    def _may_ask(self, scope: Scope, headers: Headers) -> bool:
        scheme = str({"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"]))
        own = (scheme, *_split_host(headers.get("host", ""), scheme))
        origins = [_parse_origin(sent) for sent in headers.getlist("origin")]
        if origins and all(origin in self.allowed for origin in origins):
            return True
        by_hand = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        sites = ("same-origin", "none") if by_hand else ("same-origin",)
        return all(site.strip() in sites for site in headers.getlist("sec-fetch-site")) and all(
            origin is not None and origin == own for origin in origins
        )


def _is_old_browser(scope: Scope, headers: Headers) -> bool:
    """Return True if a browser asks that does not say for which page, in a way that any page can
    ask."""
    return (
        scope["type"] == "http"
        and scope["path"] not in IMPERSONAL
        and "sec-fetch-site" not in headers
        and headers.get("user-agent", "").strip().lower().startswith("mozilla/")
        # Not just somewhere in it: "text/plain; application/json" needs no preflight.
        and media_type(headers.get("content-type", ""))[0] != JSON
        and not any(name in headers for name in OWN_HEADERS)
    )


async def _refuse(scope: Scope, receive: Receive, send: Send, message: str) -> None:
    """Answer 403; a WebSocket that is closed before it is accepted gets one without a body."""
    if scope["type"] == "http":
        await refusal_response(scope, Failure(Forbidden.code, message))(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": ""})


def _split_host(host: str, scheme: str) -> tuple[str | None, int | None]:
    """Split a Host header; (None, None) for nonsense; the scheme's own port if none is given."""
    try:
        parts = urlsplit(f"//{host.strip()}")
        port = parts.port
    except ValueError:
        return None, None
    if not parts.hostname or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        return None, None
    return parts.hostname, port or {"http": 80, "https": 443}.get(scheme)


def _parse_origin(origin: str) -> tuple[Any, ...] | None:
    scheme, found, host = origin.strip().partition("://")
    scheme = scheme.lower()
    name, port = _split_host(host, scheme)
    return (scheme, name, port) if found and name else None
