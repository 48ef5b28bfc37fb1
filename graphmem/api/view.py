"""The endpoint `/graphql`: GraphQL over HTTP, SSE and WebSocket.

Follows the GraphQL over HTTP draft: `application/graphql-response+json` and `application/json` by
the Accept header, queries by GET, mutations only by POST of JSON. Each failure is JSON with a code.
"""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from cross_web import AsyncHTTPRequestAdapter, HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketState
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType
from strawberry.types.unset import UNSET, UnsetType

from graphmem.api.errors import error_body, failure_body
from graphmem.api.execution import Context, OpenOperation, Schema, SocketContext
from graphmem.api.graphiql import is_for_page
from graphmem.api.negotiation import EVENTS, JSON, RESPONSE, best_type, media_type
from graphmem.api.sockets import (
    INTERNAL_ERROR,
    KNOWN,
    TRY_AGAIN_LATER,
    KnownSocket,
    SocketAdapter,
    SocketHandler,
)
from graphmem.api.strawberry_privates import stream_protocol
from graphmem.operations.bodies import BodyBudget
from graphmem.operations.codes import BAD_USER_INPUT, log_fault, status_of
from graphmem.operations.shares import Shares

METHODS = "GET, POST"
MAX_UNKNOWN = 100


class View(GraphQL[Any, None]):
    """ASGI application for one GraphQL schema."""

    graphql_transport_ws_handler_class = SocketHandler
    websocket_adapter_class = SocketAdapter  # pyright: ignore[reportAssignmentType]

    def __init__(
        self,
        schema: Schema,
        open_operation: OpenOperation,
        allowed_origins: Sequence[str],
        init_timeout_s: float,
        page: Callable[[], Response] | None,
        budget: BodyBudget,
        connections: Shares,
    ) -> None:
        super().__init__(
            schema,
            graphql_ide=None,
            subscription_protocols=(GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL),
            connection_init_wait_timeout=timedelta(seconds=init_timeout_s),
            allowed_origins=allowed_origins,
        )
        self._open_operation = open_operation
        self._page = page
        self.budget = budget
        self._connections = connections
        self._unknown: dict[WebSocket, None] = {}  # sockets that have not said who they are
        self._known: dict[WebSocket, KnownSocket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or serve a socket."""
        if scope["type"] == "websocket":
            await self._serve_socket(WebSocket(scope, receive, send))
            return
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _serve_socket(self, socket: WebSocket) -> None:
        self._unknown[socket] = None
        try:
            await self._make_room()
            await self.run(socket)
        except Exception as error:
            log_fault(error, "socket failed")
            await SocketAdapter(self, socket, socket).close(INTERNAL_ERROR, "Internal error")
        finally:
            self._unknown.pop(socket, None)
            if (known := self._known.pop(socket, None)) is not None:
                known.end()

    async def _make_room(self) -> None:
        """Close the oldest of too many sockets whose user is unknown: anybody can open one."""
        while len(self._unknown) > MAX_UNKNOWN:
            oldest = next(iter(self._unknown))
            del self._unknown[oldest]
            if oldest.application_state is WebSocketState.CONNECTED:
                adapter = SocketAdapter(self, oldest, oldest)
                await adapter.close(TRY_AGAIN_LATER, "Too many connections")

    async def _answer(self, request: Request) -> Response:
        if refusal := _refuse_request(request):
            return refusal
        if self._page is not None and is_for_page(request):
            return self._page()
        accepted = best_type(request.headers.get("accept"))
        if accepted is None:
            return _client_error(406, f"Only {RESPONSE}, {JSON} and {EVENTS} are available")
        # Strawberry searches the header for its own names; let it see only the chosen type.
        headers = [(k, v) for k, v in request.scope["headers"] if k.lower() != b"accept"]
        chosen = Request(
            {**request.scope, "headers": [*headers, (b"accept", accepted.encode())]},
            request.receive,
        )
        try:
            return await self.run(chosen)
        except HTTPException as error:
            return _method_not_allowed(error)
        except ClientDisconnect:
            return _client_error(400, "The request was cut off")  # nobody is there to read it
        except Exception as error:
            return failure_response(error)

    async def get_context(self, request: HTTPConnection, response: Any) -> Any:
        """Return the context of the request, or of the socket, whose operations open their own."""
        if isinstance(request, WebSocket):
            return SocketContext(request, self._open_operation)
        return await self._open_operation(request, None)

    async def on_ws_connect(self, context: SocketContext) -> UnsetType | dict[str, object] | None:
        """Check who connects; raises what `open_operation` raises."""
        opened = await context.open()
        context.user = opened.user
        if isinstance(context.connection, WebSocket):
            self._register_socket(context.connection, opened)
        return UNSET

    def _register_socket(self, socket: WebSocket, opened: Context) -> None:
        """Register a socket whose user is now known. Raises RateLimited."""
        place = None if opened.user is None else self._connections.take(opened.user)
        self._known[socket] = KnownSocket(SocketAdapter(self, socket, socket), opened, place)
        self._unknown.pop(socket, None)
        report_known: Callable[[], None] | None = socket.scope.get("state", {}).get(KNOWN)
        if report_known is not None:
            report_known()

    async def get_sub_response(self, request: Request | WebSocket) -> Response:
        """Return the response, which holds the request that it is for until the answer is made."""
        draft = await super().get_sub_response(request)
        draft.request = request  # pyright: ignore[reportAttributeAccessIssue]
        return draft

    def should_render_graphql_ide(self, request: object) -> bool:
        """Return False: Strawberry's pages load scripts from other sites."""
        return False

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        """Parse one operation; raises HTTPException for anything else, a batch too."""
        if request.method == "GET":
            data: object = self.parse_query_params(request.query_params)
        else:
            data = self.parse_json(await request.get_body())
        if not isinstance(data, dict):
            raise HTTPException(400, "The request must be one JSON object; batches are refused")
        for name in ("query", "operationName"):
            if not isinstance(data.get(name), str | None):
                raise HTTPException(400, f"`{name}` must be a string or null")
        for name in ("variables", "extensions"):
            if not isinstance(data.get(name), dict | None):
                raise HTTPException(400, f"`{name}` must be an object or null")
        return GraphQLRequestData(
            query=data.get("query"),
            variables=data.get("variables"),
            operation_name=data.get("operationName"),
            extensions=data.get("extensions"),
            protocol=stream_protocol(self, request.headers),
        )

    def decode_json(self, data: str | bytes) -> object:
        """Parse JSON; raises JSONDecodeError, also for NaN, huge numbers and too deep nesting."""
        try:
            return json.loads(data, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as exc:
            raise json.JSONDecodeError("not JSON", "", 0) from exc

    async def process_result(
        self, request: Request, result: ExecutionResult
    ) -> GraphQLHTTPResponse:
        """Drop `data` when the operation did not run, and record the status for that."""
        answer = await super().process_result(request, result)
        errors = result.errors or []
        if result.data is None and errors and not any(error.path for error in errors):
            answer.pop("data", None)
            request.state.refused = status_of((errors[0].extensions or {}).get("code"))
        return answer

    def create_response(self, response_data: Any, sub_response: Response) -> Response:
        """Answer in the chosen media type; plain JSON is 200 whenever GraphQL was understood."""
        response = super().create_response(response_data, sub_response)
        request: Request = sub_response.request  # pyright: ignore[reportAttributeAccessIssue]
        accepted = request.headers["accept"]
        response.headers["content-type"] = f"{accepted}; charset=utf-8"
        if accepted == RESPONSE:
            response.status_code = getattr(request.state, "refused", 200)
        return response


def build_view(
    schema: Schema,
    *,
    open_operation: OpenOperation,
    allowed_origins: Sequence[str] = (),
    introspection: bool = True,
    init_timeout_s: float = 10.0,
    page: Callable[[], Response] | None = None,
    budget: BodyBudget | None = None,
    connections: Shares | None = None,
) -> View:
    """Return the endpoint for a schema.

    `open_operation(connection, connection_params)` returns the context of one operation, or raises
    a GraphmemError, as Unauthenticated. It is called for each HTTP request (params None), when a
    WebSocket connection starts, and again for each operation on it. A socket that sends no
    `connection_init` within `init_timeout_s` seconds is closed with 4408.
    `page` gives the page for a person who opens the address in a browser. `budget` counts the bytes
    of operations over WebSocket, `connections` the sockets of each user.
    """
    shown = schema if introspection else schema.without_introspection()
    counted = (budget or BodyBudget(), connections or Shares())
    return View(shown, open_operation, allowed_origins, init_timeout_s, page, *counted)


def failure_response(error: Exception) -> Response:
    """Return the JSON answer for an exception outside of GraphQL, masked unless it is ours."""
    body: Any = failure_body(error)
    extensions = body["errors"][0]["extensions"]
    status, headers = status_of(extensions["code"]), {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status == 429:
        headers["Retry-After"] = str(extensions.get("retryAfter", 1))
    return JSONResponse(body, status, headers)


def _method_not_allowed(error: HTTPException) -> Response:
    cause = error.__cause__
    if not isinstance(cause, InvalidOperationTypeError):
        return _client_error(error.status_code, error.reason)
    if cause.operation_type is OperationType.SUBSCRIPTION:
        return _client_error(400, f"Subscriptions are answered as {EVENTS} or over a WebSocket")
    return _client_error(405, error.reason)


def _client_error(status: int, message: str) -> Response:
    headers = {"Allow": "POST" if "mutations" in message else METHODS} if status == 405 else None
    return JSONResponse(error_body(message, BAD_USER_INPUT), status, headers)


def _refuse_request(request: Request) -> Response | None:
    """Refuse other methods, and forms: a page of another site could send one in a user's name."""
    if request.method not in ("GET", "POST"):
        return _client_error(405, "GraphQL is served by GET and POST")
    if request.method == "POST":
        kind, parameters = media_type(request.headers.get("content-type", ""))
        if kind != JSON or parameters.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
            return _client_error(415, "A POST must be application/json in UTF-8")
    return None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
