"""GraphQL over WebSocket (graphql-transport-ws): where graphmem differs from Strawberry.

A broken operation gets an `error` message and leaves the socket open; each refusal has a code;
a malformed message closes the socket with 4400 instead of a fault; who asks is resolved when the
connection starts and again for each operation.
"""

import asyncio
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

from graphmem.api.errors import error_body
from graphmem.api.execution import SocketContext
from graphmem.api.strawberry_privates import OpenSocketHandler
from graphmem.errors import Forbidden, GraphmemError, Unauthenticated
from graphmem.operations.codes import RATE_LIMITED, log_fault

UNAUTHORIZED, FORBIDDEN, TRY_AGAIN_LATER, INTERNAL_ERROR = 4401, 4403, 1013, 1011


class SocketAdapter(ASGIWebSocketAdapter):
    """Reads and writes JSON messages of one socket."""

    async def iter_json(
        self, *, ignore_parsing_errors: bool = False
    ) -> AsyncGenerator[object, None]:
        """Yield the messages; raises Strawberry's errors for one that is not JSON text."""
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
        """Close the socket, unless it is; a reason has at most 123 bytes on the wire."""
        if self.ws.application_state is not WebSocketState.DISCONNECTED:
            await super().close(code, reason.encode()[:123].decode(errors="ignore"))


class SocketHandler(OpenSocketHandler):
    """Speaks graphql-transport-ws with one client."""

    async def handle_message(self, message: Message) -> None:
        """Handle a message of the client, which may be any JSON."""
        if isinstance(message, dict) and isinstance(message.get("type"), str):
            await super().handle_message(message)
        else:
            await self.handle_invalid_message("Failed to parse message")

    async def handle_connection_init(self, message: ConnectionInitMessage) -> None:
        """Accept the client, or close the socket with a code that tells why not."""
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
        """Start an operation, if the message is one and the client has not too many."""
        if not _is_subscribe(message):
            await self.handle_invalid_message("Failed to parse message")
            return
        limit = self.max_subscriptions_per_connection
        known = message["id"] in self.operations
        if self.connection_acknowledged and not known and len(self.operations) >= (limit or 100):
            message_text = "Too many operations on this connection"
            body = error_body(message_text, RATE_LIMITED, retryable=True)
            refusal: Any = {"id": message["id"], "type": "error", "payload": body["errors"]}
            await self.send_message(refusal)
            return
        await super().handle_subscribe(message)

    async def handle_refusal(self, error: Any) -> None:
        """End the connection where an operation does not start as the key no longer holds."""
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
        """Log a fault without its text; a client that has gone away is none."""
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
