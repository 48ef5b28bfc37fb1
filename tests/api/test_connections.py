"""Connections that wait: many idle ones and slow ones stand in nobody's way."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import structlog
import uvicorn
import websockets
from toy_service import World, toy_app

from graphmem.api import view
from graphmem.cli.connections import (
    MAX_CONNECTIONS,
    MAX_IDLE,
    IdleConnections,
    TimedProtocol,
    allow_files,
)
from graphmem.cli.serving import _build_server

LIVEZ = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF = b"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
BODY = HALF + b"Content-Length: 20000\r\n\r\n{"
SOON_S = 30.0  # generous: how fast it is is measured elsewhere

Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def served(app: Any, idle: IdleConnections, **times: float) -> AsyncIterator[int]:
    """Serve as the command does, on a free port."""
    protocol: Any = partial(TimedProtocol, idle=idle, **times)
    config = uvicorn.Config(
        app,
        "127.0.0.1",
        0,
        http=protocol,
        ws="websockets-sansio",
        lifespan="off",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=30,
        log_level="warning",
        backlog=4096,
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  (it tells nobody)
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        await task


async def opened(port: int, count: int, sent: bytes = b"") -> list[Pair]:
    """Connections that have sent so much."""
    pairs = []
    for _ in range(count):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        pairs.append((reader, writer))
    return pairs


async def status(port: int) -> bytes:
    """What a real request is answered."""
    ((reader, writer),) = await opened(port, 1, LIVEZ)
    try:
        return await asyncio.wait_for(reader.readline(), SOON_S)
    finally:
        writer.close()


async def is_closed(pair: Pair) -> bool:
    """Whether the service closes a connection, after whatever it still says."""
    with contextlib.suppress(ConnectionError):
        await asyncio.wait_for(pair[0].read(), SOON_S)
    return True


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"G")
        await writer.drain()
        await asyncio.sleep(0.05)


def close(pairs: list[Pair]) -> None:
    for _, writer in pairs:
        writer.transport.abort()


@pytest.fixture(autouse=True)
def many_files() -> None:
    allow_files()


def test_the_command_serves_with_this_protocol() -> None:
    config = _build_server(toy_app(World())).config
    protocol: Any = config.http
    assert protocol.func is TimedProtocol
    assert config.limit_concurrency == MAX_CONNECTIONS > MAX_IDLE


@pytest.mark.parametrize("sent", [b"", HALF, BODY, LIVEZ], ids=["idle", "head", "body", "rest"])
async def test_a_real_request_is_answered_beside_any_number_of_waiting_ones(sent: bytes) -> None:
    idle = IdleConnections()
    async with served(toy_app(World()), idle) as port:
        pairs = await opened(port, 2200, sent)
        try:
            for _ in range(3):
                assert await status(port) == b"HTTP/1.1 200 OK\r\n"
            assert len(idle) <= MAX_IDLE
            assert await is_closed(pairs[0])  # the oldest went first
        finally:
            close(pairs)


@pytest.mark.parametrize("sent", [b"", b"G", HALF, BODY], ids=["idle", "byte", "head", "body"])
async def test_a_request_that_does_not_come_is_waited_for_only_so_long(sent: bytes) -> None:
    idle = IdleConnections()
    async with served(toy_app(World()), idle, head_s=0.2, body_s=0.2) as port:
        with structlog.testing.capture_logs() as logs:
            pairs = await opened(port, 3, sent)
            assert all([await is_closed(pair) for pair in pairs])
            await asyncio.sleep(0.1)
        assert len(idle) == 0
        assert logs == []  # or anybody could fill the log
        close(pairs)


async def test_a_byte_now_and_then_does_not_prolong_the_wait() -> None:
    async with served(toy_app(World()), IdleConnections(), head_s=0.5) as port:
        ((reader, writer),) = await opened(port, 1, LIVEZ)
        assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
        with pytest.raises(ConnectionError):
            await asyncio.wait_for(drip(writer), SOON_S)
        writer.close()


async def test_a_running_request_and_a_kept_connection_are_not_cut_off() -> None:
    idle = IdleConnections()
    query = b'{"query": "{ slow(seconds: 1) }"}'
    slow = HALF + f"Content-Length: {len(query)}\r\n\r\n".encode() + query
    async with served(toy_app(World()), idle, head_s=0.2, body_s=0.2) as port:
        ((reader, writer),) = await opened(port, 1, LIVEZ)
        for request in (b"", slow, LIVEZ):  # answered one after another
            writer.write(request)
            assert await asyncio.wait_for(reader.readline(), SOON_S) == b"HTTP/1.1 200 OK\r\n"
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.splitlines()
                if line.lower().startswith(b"content-length")
            )
            await reader.readexactly(length)
            await asyncio.sleep(0.5)
        assert len(idle) == 1
        writer.close()


def socket_to(port: int) -> Any:
    protocol = websockets.Subprotocol("graphql-transport-ws")
    return websockets.connect(f"ws://127.0.0.1:{port}/graphql", subprotocols=[protocol])


async def test_sockets_that_nobody_speaks_for_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "MAX_UNKNOWN", 5)
    async with served(toy_app(World()), IdleConnections()) as port:
        known = await socket_to(port)
        await known.send('{"type": "connection_init"}')
        assert "connection_ack" in str(await known.recv())
        unknown = [await socket_to(port) for _ in range(12)]
        for socket in unknown[:7]:
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await asyncio.wait_for(socket.recv(), SOON_S)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1013
        for socket in (known, unknown[-1]):
            await socket.send(
                '{"type": "ping"}' if socket is known else '{"type": "connection_init"}'
            )
            assert "pong" in (heard := str(await socket.recv())) or "connection_ack" in heard
        for socket in [known, *unknown]:
            await socket.close()


async def test_a_socket_that_says_nothing_is_closed() -> None:
    async with served(toy_app(World(), init_timeout_s=0.2), IdleConnections()) as port:
        socket = await socket_to(port)
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), SOON_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4408
