"""Runs the service in this process until it is told to stop."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from graphmem.app import PATIENCE_S, connect_context, create_app, open_embedder, open_server
from graphmem.errors import Misconfigured
from graphmem.settings import Settings

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

MAX_MESSAGE: Final = 1024 * 1024  # bytes of a WebSocket message
MAX_CONNECTIONS: Final = 1000
BACKLOG: Final = 2048
STOP_S: Final = 5  # that running requests get when the service stops
Ready = Callable[[str, str | None], None]  # told the service's address and Neo4j Browser's


def run_server(settings: Settings, ready: Ready | None = None) -> None:
    """Serve until SIGINT or SIGTERM. `ready` is told when requests are answered.

    Raises Misconfigured, Unavailable when it can't start."""
    with contextlib.suppress(asyncio.CancelledError):  # a signal while starting
        asyncio.run(serve(settings, ready))


async def serve(settings: Settings, ready: Ready | None = None) -> None:
    """The service in the running event loop, whose SIGINT and SIGTERM it takes over."""
    # The port comes first, so that nobody waits for Neo4j only to hear that the port is taken.
    with bind(settings.host, settings.port) as listener, _stopping() as stops:
        async with (
            open_embedder(settings) as embedder,
            open_server(settings) as address,
            connect_context(settings, embedder, address, patience_s=PATIENCE_S) as context,
        ):
            server = _uvicorn(create_app(settings, context))
            with _taken(settings.host, settings.port):
                listener.listen(BACKLOG)
            stops.append(server)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            while not (server.started or serving.done()):  # noqa: ASYNC110  (uvicorn tells nobody)
                await asyncio.sleep(0.01)
            if ready is not None and server.started:
                ready(address_of(listener), address.browser_url)
            await serving


def _uvicorn(app: "Starlette") -> "uvicorn.Server":
    import uvicorn

    config = uvicorn.Config(
        app,
        lifespan="off",  # `serve` has opened the context
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_graceful_shutdown=STOP_S,
        limit_concurrency=MAX_CONNECTIONS,
        access_log=False,
        log_config=None,
        server_header=False,
    )
    server = uvicorn.Server(config)
    # `serve` takes the signals, since it has more to close than uvicorn knows of.
    server.capture_signals = contextlib.nullcontext  # pyright: ignore[reportAttributeAccessIssue]
    return server


@contextlib.contextmanager
def _stopping() -> "Iterator[list[uvicorn.Server]]":
    """Takes SIGINT and SIGTERM: they stop the server in the list, or cancel the start."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    servers: list[uvicorn.Server] = []
    assert task is not None

    def stop() -> None:
        if not servers:
            task.cancel()
        for server in servers:
            server.force_exit = server.should_exit  # asked twice: don't wait for clients
            server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        yield servers
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def bind(host: str, port: int) -> socket.socket:
    """A socket on the port, which listens only later. Raises Misconfigured when it is taken."""
    with _taken(host, port):
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, place = found[0]
        listener = socket.socket(family, kind)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
        except OSError:
            listener.close()
            raise
        return listener


@contextlib.contextmanager
def _taken(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise Misconfigured(
            f"can't listen on {host} port {port} ({exc.strerror or exc}): choose another one by "
            "--port or GRAPHMEM_PORT"
        ) from exc


def address_of(listener: socket.socket) -> str:
    """The base of the service's URLs."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
