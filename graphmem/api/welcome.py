"""The page that a browser gets at `/` and `/graphql`: what this is, where things are, and a form
that sends a request. Its script and style are files of this package, so it works under the policy
(Content-Security-Policy) that the service sends, and loads nothing from another site."""

from collections.abc import Awaitable, Callable
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from graphmem.api.dashboard import dashboard_routes
from graphmem.api.negotiation import HTML, names

FILES = {"welcome.css": "text/css", "welcome.js": "text/javascript"}


def welcome_routes(auth: str, version: str) -> list[Route]:
    """Return the routes of `/`, the files of its page and the dashboard that it links to; `auth` is
    the service's mode of authentication."""
    return [
        Route("/", _build_endpoint(page_of(auth, version), HTML)),
        *(
            Route(f"/{name}", _build_endpoint(_read_file(name), kind))
            for name, kind in FILES.items()
        ),
        *dashboard_routes(auth, version),
    ]


def page_of(auth: str, version: str) -> str:
    """Return the page; `auth` is `open` or `keys`."""
    return _read_file("index.html").replace("{auth}", auth).replace("{version}", version)


def is_for_page(request: Request) -> bool:
    """Return True if a person opens the address in a browser, without a query."""
    wanted = request.method == "GET" and "query" not in request.query_params
    return wanted and names(HTML, request.headers.get("accept"))


def page_response(page: str) -> Response:
    """Return the page as an answer."""
    return Response(page, media_type=HTML)


def _build_endpoint(text: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


def _read_file(name: str) -> str:
    return (files("graphmem.api") / "welcome_page" / name).read_text(encoding="utf-8")
