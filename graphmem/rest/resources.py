"""Serves the endpoints: reads a request, runs its command, shapes answer and errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from graphmem.errors import Conflict, Invalid, NotFound, TimedOut, Unavailable
from graphmem.operations.authentication import (
    ADMITTED,
    Authenticator,
    Credentials,
    admit,
    of_a_program,
)
from graphmem.operations.codes import BAD_USER_INPUT, Failure, failure_of, headers_of
from graphmem.operations.command import Command
from graphmem.operations.commands.daemon import DEGRADED, GetStatus
from graphmem.operations.commands.events import ListEvents
from graphmem.operations.limits import time_limit
from graphmem.operations.metering import run_counted
from graphmem.operations.operation import Operation, Service, open_operation
from graphmem.operations.parsing import parse
from graphmem.operations.presenters.as_json import to_json
from graphmem.operations.presenters.notes import Note, RememberPayload
from graphmem.operations.problems import PROBLEM, problem_of
from graphmem.operations.streams import stream_of
from graphmem.rest.endpoints import ENDPOINTS, Endpoint, NotePage
from graphmem.rest.reading import IF_MATCH, given_of
from graphmem.rest.streams import events_of, records_of

JSON: Final = "application/json"
AGENT_ID: Final = "agentId"


@dataclass(frozen=True, kw_only=True)
class Backend:
    """The dependencies of all endpoints."""

    service: Callable[[], Service]
    authenticator: Authenticator
    operation_timeout_s: float

    async def admit(self, scope: Scope) -> None:
        """Check the key of a request, unless that was done. Raises Unauthenticated."""
        await admit(scope, self.service, self.authenticator)


class Resource:
    """A path, with an endpoint for each of its methods."""

    def __init__(self, backend: Backend, endpoints: Sequence[Endpoint]) -> None:
        self.backend = backend
        self.endpoints = {each.method: each for each in endpoints}
        if "GET" in self.endpoints:
            self.endpoints["HEAD"] = self.endpoints["GET"]
        self.daemon = any(each.daemon for each in endpoints)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        endpoint = self.endpoints.get(request.method)
        if endpoint is None:
            return refused_method(request.method, self.endpoints, request.url.path, self.daemon)
        if endpoint.has_body and not _is_json(request):
            fault = Failure(BAD_USER_INPUT, "The body must be application/json in UTF-8")
            return refusal(fault, 415, daemon=self.daemon)
        try:
            return await self._carry_out(endpoint, request)
        except ClientDisconnect:
            raise
        except Exception as error:
            return _failure_response(error, endpoint, request)

    async def _carry_out(self, endpoint: Endpoint, request: Request) -> Response:
        await self.backend.admit(request.scope)
        body = await request.body() if endpoint.has_body else b""
        async with time_limit(self.backend.operation_timeout_s) as ends:
            # The caller is known before a wrong request is answered. Where the request names the
            # caller, the key has been checked by then.
            given = given_of(endpoint, request, body) if endpoint.daemon else None
            operation = await self._open(request, (given or {}).get(AGENT_ID))
            operation.ends = ends
            if given is None:
                given = given_of(endpoint, request, body)
            command = parse(endpoint.command, given)
            if endpoint.streams:
                stream = await stream_of(command, operation)
                return records_of(stream) if endpoint.lines else events_of(stream)
            answer = await run_counted("rest", command, operation)
        return build_response(endpoint, command, answer, request, operation)

    async def _open(self, request: Request, agent: object) -> Operation:
        """Open the operation of the caller; `agent` is whom a request of the daemon's document
        names."""
        named: Mapping[str, object] = {}
        if agent:
            header = request.headers.get("x-graphmem-agent") or agent
            if header != agent:
                raise Invalid("agentId and X-Graphmem-Agent differ")
            named = {"x-graphmem-agent": agent}
        return await open_operation(
            self.backend.service(),
            self.backend.authenticator,
            Credentials.of(named, request.headers, admitted=request.scope[ADMITTED]),
            traces=request.method not in ("GET", "HEAD"),
            used=request.method == "GET" and of_a_program(request.headers),
        )


def build_response(
    endpoint: Endpoint, command: Command, answer: Any, request: Request, operation: Operation
) -> Response:
    """Return the answer of a command over HTTP."""
    shown = endpoint.shape(answer) if endpoint.shape else answer
    body = to_json(shown, operation)
    headers, status = {}, 200
    if endpoint.under is not None:
        body = {endpoint.under: body}
    match shown:
        case Note():
            headers["ETag"] = f'"{shown.version}"'
        case RememberPayload() if shown.operation.value == "ADD":
            status, headers["Location"] = 201, f"/v1/notes/{shown.note_id}"
        case NotePage() if shown.page_info.has_next_page:
            headers["Link"] = _next_link(request, "after", shown.page_info.end_cursor)
        case list() if isinstance(command, ListEvents) and shown:
            place = "before" if command.newest_first else "after"
            headers["Link"] = _next_link(request, place, shown[-1].seq)
    return JSONResponse(body, status, headers)


def _next_link(request: Request, name: str, place: object) -> str:
    query = [(k, v) for k, v in request.query_params.multi_items() if k != name]
    return f'<{request.url.path}?{urlencode([*query, (name, str(place))])}>; rel="next"'


def _failure_response(error: Exception, endpoint: Endpoint, request: Request) -> Response:
    if endpoint.command is GetStatus and isinstance(error, Unavailable | TimedOut):
        return JSONResponse(to_json(DEGRADED))
    fault = failure_of(error)
    status = 412 if isinstance(error, Conflict) and IF_MATCH in request.headers else None
    return refusal(fault, status, daemon=endpoint.daemon)


def refused_method(method: str, known: Iterable[str], path: str, daemon: bool) -> Response:
    """Return the answer to a method that a path does not have; for OPTIONS, the methods it has."""
    allowed = ", ".join(sorted((*known, "OPTIONS")))
    if method == "OPTIONS":
        return Response(status_code=204, headers={"Allow": allowed})
    fault = Failure(BAD_USER_INPUT, f"{path} is served by {allowed}")
    return refusal(fault, 405, daemon=daemon, headers={"Allow": allowed})


def refusal(
    fault: Failure,
    status: int | None = None,
    *,
    daemon: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a failure over HTTP: a problem, or in the form of the daemon's document."""
    headers = {**headers_of(fault), **(headers or {})}
    if daemon:
        body: dict[str, object] = {"success": False, "error": fault.message}
        return JSONResponse(body, status or fault.status, headers)
    return JSONResponse(
        problem_of(fault, status), status or fault.status, headers, media_type=PROBLEM
    )


def daemon_refusal(scope: Scope, fault: Failure) -> Response | None:
    """Return a failure at an address of the daemon's document; None at another one."""
    first = scope["path"].strip("/").partition("/")[0]
    known = any(each.daemon and each.path.split("/")[1] == first for each in ENDPOINTS)
    return refusal(fault, daemon=True) if known else None


class NoResource:
    """The answer at an address without a resource, for any method."""

    def __init__(self, *, daemon: bool = False) -> None:
        self.daemon = daemon

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        fault = failure_of(NotFound("there is nothing at this address"))
        response = refusal(fault, daemon=self.daemon)
        await response(scope, receive, send)


def _is_json(request: Request) -> bool:
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower()
    return kind.strip().lower() == JSON and charset in ("", "charset=utf-8", 'charset="utf-8"')
