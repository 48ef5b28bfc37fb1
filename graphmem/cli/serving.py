"""Runs the service in this process until it is asked to stop."""

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphmem.app import (
    PATIENCE_S,
    background_work,
    begin_server,
    connect_context,
    create_app,
    load_parts,
    open_embedder,
)
from graphmem.errors import Misconfigured
from graphmem.settings import Settings

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

    from graphmem.server import ServerAddress
    from graphmem.services.context import Context

MAX_MESSAGE: Final = 1024 * 1024  # bytes of a WebSocket message
BACKLOG: Final = 2048
STOP_S: Final = 5  # time that running requests get when the service stops
KEEP_ALIVE_S: Final = 30


@dataclass(frozen=True)
class Running:
    """A service that answers: the base of its URLs, the address and login of Neo4j, and its
    parts."""

    base: str
    address: "ServerAddress"
    password_file: Path
    context: "Context"


Ready = Callable[[Running], Awaitable[bool]]  # called when the service answers; False: stop


def run_server(settings: Settings, ready: Ready) -> None:
    """Serve until SIGINT or SIGTERM, or until `ready` returns False.

    Raises Misconfigured, Unavailable when it can't start."""
    run_until_stopped(lambda stops: _serve(settings, ready, stops))


def run_until_stopped(work: "Callable[[list[uvicorn.Server]], Awaitable[None]]") -> None:
    """Run a coroutine, and shut it down cleanly on SIGINT or SIGTERM: by cancelling it, or by
    stopping the servers that it has put into the list."""

    async def run() -> None:
        with _handle_signals() as stops:
            await work(stops)

    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(run())


async def _serve(settings: Settings, ready: Ready, stops: "list[uvicorn.Server]") -> None:
    # The port is bound first, so that a taken port is reported without waiting for Neo4j.
    with bind(settings.host, settings.port) as listener:
        from graphmem.services.callers import Callers

        callers = Callers()
        async with (
            begin_server(settings, alone=True, callers=callers) as address_of,
            open_embedder(settings) as embedder,
        ):
            from graphmem.ai.extractor import load_extractor

            load_parts()
            load_extractor(settings.extractor)
            address = await address_of()
            async with (
                connect_context(
                    settings, embedder, address, patience_s=PATIENCE_S, callers=callers
                ) as context,
                background_work(settings, context),
            ):
                await _listen(settings, listener, context, address, ready, stops)


async def _listen(
    settings: Settings,
    listener: socket.socket,
    context: "Context",
    address: "ServerAddress",
    ready: Ready,
    stops: "list[uvicorn.Server]",
) -> None:
    server = _build_server(create_app(settings, context))
    with _report_taken_port(settings.host, settings.port):
        listener.listen(BACKLOG)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:  # in any case the service stops in good order before its parts do
        while not (server.started or serving.done()):  # noqa: ASYNC110  (it tells nobody)
            await asyncio.sleep(0.01)
        running = Running(url_of(listener), address, settings.data / "neo4j.password", context)
        if settings.graphiql:
            from graphmem.server.graphiql import fetch_graphiql

            # Nothing waits for it, not even the end of the process.
            threading.Thread(target=fetch_graphiql, args=(settings.cache,), daemon=True).start()
        await _publish_address(settings, running)
        server.should_exit = not (server.started and await ready(running))
        stops.append(server)
        await asyncio.shield(serving)
    except BaseException:
        server.should_exit = True
        await serving
        raise


async def _publish_address(settings: Settings, running: Running) -> None:
    """Let other commands find the service by its folder, whatever its port is."""
    from graphmem.server import publish_service

    if not settings.neo4j_uri:  # an external database may have many services
        await asyncio.to_thread(publish_service, settings.data, running.base)


def _build_server(app: "Starlette") -> "uvicorn.Server":
    import uvicorn

    from graphmem.cli.connections import (
        MAX_CONNECTIONS,
        BoundedSocket,
        IdleConnections,
        TimedProtocol,
        allow_files,
    )

    allow_files()
    protocol: Any = partial(TimedProtocol, idle=IdleConnections())
    config = uvicorn.Config(
        app,
        http=protocol,
        lifespan="off",  # the context is open already
        ws=BoundedSocket,
        ws_max_size=MAX_MESSAGE,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_S,
        limit_concurrency=MAX_CONNECTIONS,
        access_log=False,
        log_config=None,
        server_header=False,
    )
    server = uvicorn.Server(config)
    # Signals are handled here, since there is more to close than uvicorn knows of.
    server.capture_signals = contextlib.nullcontext  # pyright: ignore[reportAttributeAccessIssue]
    return server


@contextlib.contextmanager
def _handle_signals() -> "Iterator[list[uvicorn.Server]]":
    """Handle SIGINT and SIGTERM; a second one ends the process at once, and Neo4j with it."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    servers: list[uvicorn.Server] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    assert task is not None

    def stop() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        for server in servers:
            server.should_exit = True
        if not servers:
            task.cancel()

    for number in numbers:
        loop.add_signal_handler(number, stop)
    try:
        yield servers
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket on the port, which listens only later. Raises Misconfigured when the port is
    taken."""
    with _report_taken_port(host, port):
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, place = found[0]
        # With the protocol named, asyncio switches off Nagle: answers would wait 40 ms for an ACK.
        listener = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
        except OSError:
            listener.close()
            raise
        return listener


@contextlib.contextmanager
def _report_taken_port(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise Misconfigured(
            f"can't listen on {host} port {port} ({exc.strerror or exc}): choose another one by "
            "--port or GRAPHMEM_PORT"
        ) from exc


def url_of(listener: socket.socket) -> str:
    """Return the base of the service's URLs."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
