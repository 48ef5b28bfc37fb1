"""The routes of REST."""

from collections.abc import Callable

from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from graphmem.operations.authentication import Authenticator
from graphmem.operations.limits import OPERATION_S
from graphmem.operations.operation import Service
from graphmem.rest.documents import document_routes
from graphmem.rest.endpoints import ENDPOINTS
from graphmem.rest.resources import Backend, NoResource, Resource, refused_method

HEALTH = ("/health", "/v1/health")


def rest_routes(
    get_service: Callable[[], Service],
    *,
    authenticator: Authenticator,
    version: str,
    operation_timeout_s: float = OPERATION_S,
) -> list[Route]:
    """Return the routes of all resources, their OpenAPI document and the page that shows it."""
    backend = Backend(
        service=get_service,
        authenticator=authenticator,
        operation_timeout_s=operation_timeout_s,
    )
    # A fixed path comes before a pattern that it matches.
    paths = sorted({each.path for each in ENDPOINTS}, key=lambda path: ("{" in path, path))
    return [
        *(Route(path, Health(daemon=path == HEALTH[0])) for path in HEALTH),
        *document_routes(version),
        *(
            Route(path, Resource(backend, [each for each in ENDPOINTS if each.path == path]))
            for path in paths
        ),
        Route("/v1/{path:path}", NoResource()),
        Route("/forget/{path:path}", NoResource(daemon=True)),
    ]


class Health:
    """Answers that the service is running, whatever its database does."""

    def __init__(self, *, daemon: bool) -> None:
        self._daemon = daemon

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        response: Response = JSONResponse({"status": "ok"})
        if scope["method"] not in ("GET", "HEAD"):
            response = refused_method(scope["method"], ("GET", "HEAD"), scope["path"], self._daemon)
        await response(scope, receive, send)
