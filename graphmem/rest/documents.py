"""`/openapi.json`, and `/docs`: a page that shows it and sends requests. The page, its script and
its style are files of this package, so it needs no other site and fits the service's policy."""

import json
from collections.abc import Awaitable, Callable
from functools import cache, partial
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from graphmem.rest.openapi import document

FILES = {"/docs": "index.html", "/docs.css": "docs.css", "/docs.js": "docs.js"}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def document_routes(version: str) -> list[Route]:
    """Return the routes of the document and of the files of the page."""

    @cache
    def described() -> str:
        return json.dumps(document(version), ensure_ascii=False)

    return [
        Route("/openapi.json", _build_endpoint(described, "application/json")),
        *(
            Route(path, _build_endpoint(partial(_read_file, name), KINDS[name.rpartition(".")[2]]))
            for path, name in FILES.items()
        ),
    ]


def _build_endpoint(text: Callable[[], str], kind: str) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers with a text, which is made on the first request."""

    async def answer(request: Request) -> Response:
        return Response(text(), media_type=kind)

    return answer


def _read_file(name: str) -> str:
    return (files("graphmem.rest") / "docs_page" / name).read_text(encoding="utf-8")
