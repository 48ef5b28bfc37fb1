"""GraphQL over WebSocket (graphql-transport-ws): where graphmem differs from Strawberry.

A broken operation gets an `error` message and leaves the socket open; each refusal has a code; a
malformed message closes the socket with 4400 instead of a fault; the caller is identified when the
connection starts and again for each operation."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from starlette.websockets import WebSocketState
from strawberry.asgi import ASGIWebSocketAdapter
from strawberry.http.exceptions import NonTextMessageReceived, WebSocketDisconnected
from strawberry.subscriptions.protocols.graphql_transport_ws.types import (
    ConnectionInitMessage,
    Message,
    SubscribeMessage,
)

from graphmem.api.errors import failure_body
from graphmem.api.execution import Context, SocketContext
from graphmem.api.strawberry_privates import OpenSocketHandler
from graphmem.errors import Forbidden, GraphmemError, RateLimited, Unauthenticated
from graphmem.operations.codes import log_fault
from graphmem.operations.holding import Holding
from graphmem.operations.shares import Share
from graphmem.operations.streams import until_next_look

KNOWN = "graphmem.known"  # in the state of a socket: called when its user is known
MAX_OPERATIONS = 100  # of one connection at the same time
UNAUTHORIZED, FORBIDDEN, TRY_AGAIN_LATER, INTERNAL_ERROR = 4401, 4403, 1013, 1011


class SocketAdapter(ASGIWebSocketAdapter):
    """Reads and writes JSON messages of one socket."""

    size = 0  # bytes of the last message

    async def iter_json(
        self, *, ignore_parsing_errors: bool = False
    ) -> AsyncGenerator[object, None]:
        """Yield the messages; raises Strawberry's errors for one that is not JSON text."""
        receive = self.ws.receive_text

        async def receive_text() -> str:
            text = await receive()
            self.size = len(text.encode(errors="replace"))
            return text

        self.ws.receive_text = receive_text
        try:
            async for message in super().iter_json(ignore_parsing_errors=ignore_parsing_errors):
                yield message
        except TypeError as exc:  # a server may send {"text": None, "bytes": ...}
            raise NonTextMessageReceived from exc

    async def send_json(self, message: Mapping[str, object]) -> None:
        """Send a message; raises WebSocketDisconnected when the socket is closed."""
        if self.ws.application_state is WebSocketState.DISCONNECTED:
            raise WebSocketDisconnected
        await super().send_json(message)

    async def close(self, code: int, reason: str) -> None:
        """Close the socket, unless it is closed; a reason has at most 123 bytes on the wire."""
        if self.ws.application_state is not WebSocketState.DISCONNECTED:
            await super().close(code, reason.encode()[:123].decode(errors="ignore"))


class KnownSocket:
    """A socket whose user is known: it counts as one of the connections of that user, and is closed
    soon after the user may no longer ask, even while nothing happens on it."""

    def __init__(self, adapter: SocketAdapter, opened: Context, place: Share | None) -> None:
        self._adapter, self._opened, self._place = adapter, opened, place
        self._looking = asyncio.create_task(self._watch_access())

    def end(self) -> None:
        """Stop watching the access, and free the place of the connection."""
        self._looking.cancel()
        if self._place is not None:
            self._place.release()

    async def _watch_access(self) -> None:
        while True:
            await asyncio.sleep(until_next_look())
            try:
                await self._opened.check_access()
            except GraphmemError as error:
                if not error.retryable:
                    with contextlib.suppress(Exception):  # it is closed already
                        await self._adapter.close(close_code(error), error.message)
                    return
            except Exception as error:
                log_fault(error, "socket could not be looked at")


class SocketHandler(OpenSocketHandler):
    """Speaks graphql-transport-ws with one client."""

    view: Any  # a `View`, which imports this module
    websocket: Any  # a `SocketAdapter`

    async def handle_message(self, message: Message) -> None:
        """Handle a message of the client, which may be any JSON."""
        if isinstance(message, dict) and isinstance(message.get("type"), str):
            await super().handle_message(message)
        else:
            await self.handle_invalid_message("Failed to parse message")

    async def handle_connection_init(self, message: ConnectionInitMessage) -> None:
        """Accept the client, or close the socket with a code that says why not."""
        if message.get("payload", {}) is None:
            message = {"type": "connection_init"}
        try:
            await super().handle_connection_init(message)
        except GraphmemError as error:
            await self.websocket.close(close_code(error), error.message)
        except WebSocketDisconnected:
            raise
        except Exception as error:
            log_fault(error, "connection failed")
            await self.websocket.close(INTERNAL_ERROR, "Internal error")

    async def handle_subscribe(self, message: SubscribeMessage) -> None:
        """Start an operation, if the message is one and the client does not have too many."""
        if not _is_subscribe(message):
            await self.handle_invalid_message("Failed to parse message")
            return
        if not self.connection_acknowledged or message["id"] in self.operations:
            await super().handle_subscribe(message)  # which closes the connection
            return
        held = self.holding()
        try:
            if len(self.operations) >= MAX_OPERATIONS:
                raise RateLimited("Too many operations on this connection")
            held.take(self.websocket.size)
        except GraphmemError as error:
            body: Any = failure_body(error)
            await self.send_message(
                {"id": message["id"], "type": "error", "payload": body["errors"]}
            )
            return
        await super().handle_subscribe(message)
        task = self.operations[message["id"]].task
        if task is not None:
            task.add_done_callback(lambda _: held.release())

    def holding(self) -> Holding:
        """Return a new account of what an operation of this user holds: nothing yet."""
        return Holding(self.view.budget, user=getattr(self.context, "user", None))

    async def handle_refusal(self, error: Any) -> None:
        """End the connection if an operation does not start because the key is no longer valid."""
        code = (error.extensions or {}).get("code")
        if code == Unauthenticated.code and isinstance(self.context, SocketContext):
            await self.websocket.close(UNAUTHORIZED, error.message)

    async def handle_complete(self, message: Any) -> None:
        """Stop an operation."""
        if isinstance(message.get("id"), str):
            await super().handle_complete(message)
        else:
            await self.handle_invalid_message("Failed to parse message")

    async def handle_task_exception(self, error: Exception) -> None:
        """Log a fault without its text; a client that has gone away is not a fault."""
        if not isinstance(error, WebSocketDisconnected | asyncio.CancelledError):
            log_fault(error, "socket failed")


def close_code(error: GraphmemError) -> int:
    """Return the close code for an error met while a connection starts."""
    if isinstance(error, Unauthenticated):
        return UNAUTHORIZED
    if isinstance(error, Forbidden):
        return FORBIDDEN
    return TRY_AGAIN_LATER if error.retryable else INTERNAL_ERROR


def _is_subscribe(message: Mapping[str, object]) -> bool:
    payload = message.get("payload")
    return (
        isinstance(message.get("id"), str)
        and isinstance(payload, dict)
        and isinstance(payload.get("query"), str)
        and isinstance(payload.get("variables"), dict | None)
        and isinstance(payload.get("operationName"), str | None)
        and isinstance(payload.get("extensions"), dict | None)
    )
