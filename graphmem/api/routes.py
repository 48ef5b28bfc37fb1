"""The routes of the GraphQL service."""

from collections.abc import Callable

from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from graphmem.api.context import open_operation_for
from graphmem.api.schema import create_schema
from graphmem.api.view import build_view
from graphmem.operations.authentication import Authenticator
from graphmem.operations.bodies import BodyBudget
from graphmem.operations.limits import OPERATION_S
from graphmem.operations.operation import Service
from graphmem.operations.shares import Shares


def graphql_routes(
    get_context: Callable[[], Service],
    *,
    authenticator: Authenticator,
    allowed_origins: tuple[str, ...] = (),
    operation_timeout_s: float = OPERATION_S,
    page: Callable[[], Response] | None = None,
    budget: BodyBudget | None = None,
    connections: Shares | None = None,
) -> list[BaseRoute]:
    """Return the routes of `/graphql` for HTTP and WebSocket; `page` returns what a browser gets
    there."""
    view = build_view(
        create_schema(operation_timeout_s),
        open_operation=open_operation_for(get_context, authenticator),
        allowed_origins=allowed_origins,
        page=page,
        budget=budget,
        connections=connections,
    )
    return [Route("/graphql", view), WebSocketRoute("/graphql", view)]
