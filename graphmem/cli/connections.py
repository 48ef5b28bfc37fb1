"""Connections that send no request, or send one slowly: closed in time, and never in the way.

Anybody who reaches the port can open connections, without a key. uvicorn counts all of them against
its limit, and never closes one that has sent nothing yet. Here a connection whose next request is
not wholly received only waits. It waits for a bounded time; and when too many wait, the one that
has waited longest is closed, so that a new one always finds a place.

A body is taken from the socket when the application asks for it, a piece at a time; what nobody
asked for before the answer is thrown away, and if it is too much the connection is closed."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from graphmem.api.sockets import KNOWN

MAX_IDLE: Final = 500  # connections without a whole request
MAX_CONNECTIONS: Final = 1500  # those, running requests and WebSockets; beyond it is 503
HEAD_S: Final = 10.0  # for the first bytes and the headers of a request
BODY_S: Final = 60.0  # for its body
PIECE: Final = 64 * 1024  # bytes that are taken from a socket at once
UNREAD: Final = 128 * 1024  # bytes of a body that are thrown away after the answer
UNKNOWN_MESSAGE: Final = 16 * 1024  # bytes of a message while the user of the socket is unknown
STALLED_S: Final = 120.0  # for a client to continue reading while answers pile up
FILES: Final = 8192  # open files that the process asks for


class IdleConnections:
    """The connections that wait for a request, in the order in which they began to."""

    def __init__(self, most: int = MAX_IDLE) -> None:
        """Hold at most so many."""
        self._most = most
        self._open: dict[TimedProtocol, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, connection: "TimedProtocol") -> None:
        """Add a connection; it keeps its place if it has one. The oldest is closed when there is no
        room."""
        self._open.setdefault(connection)
        while len(self._open) > self._most:
            oldest = next(iter(self._open))
            self.leave(oldest)
            oldest.hang_up()

    def leave(self, connection: "TimedProtocol") -> None:
        """Remove a connection."""
        self._open.pop(connection, None)


class Stalled:
    """Ends a connection whose client reads nothing for a long time."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, hang_up: Callable[[], None]) -> None:
        """Begin to wait, unless it is waiting already."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(STALLED_S, hang_up)

    def end(self) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class TimedProtocol(H11Protocol):
    """HTTP on one connection, which is closed when its request does not come."""

    def __init__(
        self,
        *args: Any,
        idle: IdleConnections,
        head_s: float = HEAD_S,
        body_s: float = BODY_S,
        **options: Any,
    ) -> None:
        """Take uvicorn's own arguments; `idle` is shared by all connections of a server."""
        super().__init__(*args, **options)
        self._idle = idle
        self._seconds = {"head": head_s, "body": body_s}
        self._phase: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._unread = 0
        self._stalled = Stalled()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        if hasattr(transport, "max_size"):  # asyncio's transport, which reads 256 KB at once
            transport.max_size = PIECE  # pyright: ignore[reportAttributeAccessIssue]
        self._update_phase()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._set_phase(None)
        self._stalled.end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Continue reading, and check whether the request is complete."""
        if self._is_answered_early():
            self._unread += len(data)
            if self._unread > UNREAD:
                self.hang_up()
                return
        super().data_received(data)
        if self.cycle is not None and self.cycle.more_body and not self.cycle.response_complete:
            self.flow.pause_reading()  # until the application asks for it
        self._update_phase()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, but not for long."""
        super().pause_writing()
        self._stalled.begin(self.hang_up)

    def resume_writing(self) -> None:
        """Continue writing."""
        self._stalled.end()
        super().resume_writing()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._unread = 0
        self._update_phase()

    def _is_answered_early(self) -> bool:
        """Return True if the answer is out while the body is still coming in."""
        answered = self.cycle is not None and self.cycle.response_complete
        return answered and self.conn.their_state is h11.SEND_BODY

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Leave the connection to WebSocket, which has limits of its own."""
        self._set_phase(None)
        super().handle_websocket_upgrade(event)

    def hang_up(self) -> None:
        """Close the connection at once, even if the client does not read."""
        self.transport.abort()

    def _update_phase(self) -> None:
        """Find out what the connection waits for."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._set_phase(None)
        elif self.cycle is not None and not self.cycle.response_complete:
            self._set_phase("body" if self.cycle.more_body else None)
        else:  # between two requests uvicorn has a timer of its own
            self._set_phase("rest" if self.timeout_keep_alive_task else "head")

    def _set_phase(self, phase: str | None) -> None:
        if phase == self._phase:
            return
        self._phase = phase
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if phase is None:
            self._idle.leave(self)
            return
        if phase in self._seconds:
            self._timer = self.loop.call_later(self._seconds[phase], self.hang_up)
        self._idle.enter(self)


class BoundedSocket(WebSocketsSansIOProtocol):
    """WebSocket on one connection: its messages are small until the application knows its user, and
    a client that does not read gets no answers to its pings."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take uvicorn's own arguments."""
        super().__init__(*args, **options)
        self.conn.max_message_size = UNKNOWN_MESSAGE
        self._stalled = Stalled()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stalled.end()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for a client that does not read, but not for long."""
        super().pause_writing()
        self._stalled.begin(self.transport.abort)

    def resume_writing(self) -> None:
        """Continue writing."""
        self._stalled.end()
        super().resume_writing()

    def handle_connect(self, event: Any) -> None:
        """Give the application a way to report that the user is known."""
        super().handle_connect(event)
        if hasattr(self, "scope"):  # else the handshake failed
            self.scope["state"][KNOWN] = self.know  # pyright: ignore[reportTypedDictNotRequiredAccess]

    def know(self) -> None:
        """Accept messages of the usual size from now on."""
        self.conn.max_message_size = self.config.ws_max_size

    def handle_ping(self) -> None:
        """Answer, unless answers pile up."""
        output = b"".join(self.conn.data_to_send())
        if self.writable.is_set():
            self.transport.write(output)


def allow_files(wanted: int = FILES) -> None:
    """Raise the process's limit of open files, 1,024 on many systems, as far as allowed."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows has no such limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
