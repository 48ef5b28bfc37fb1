"""The service on a port of its own, as the command serves it, with what it takes counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import uvicorn

from graphmem.cli import serving
from graphmem.cli.connections import IdleConnections, TimedProtocol

SOON_S = 60.0  # for what would hang


class Served:
    """A service on a port: the bytes that it took from its sockets, which of them it holds, and the
    clients that were made."""

    def __init__(self) -> None:
        self.port = 0
        self.taken = 0
        self.open: list[TimedProtocol] = []
        self.wires: list[Wire] = []

    async def connect(self) -> Wire:
        """A client, which is closed at the end at the latest."""
        wire = Wire(*await asyncio.open_connection("127.0.0.1", self.port))
        self.wires.append(wire)
        return wire

    @property
    def asked(self) -> int:
        """Open connections of which a request has begun."""
        return sum(each.cycle is not None for each in self.open)

    @property
    def held(self) -> int:
        """Bytes of bodies that wait for the application to ask for them."""
        cycles = [each.cycle for each in self.open if each.cycle is not None]
        return sum(len(cycle.body) for cycle in cycles if not cycle.response_complete)


class CountedProtocol(TimedProtocol):
    """Served what comes."""

    def __init__(self, *args: Any, served: Served, **options: Any) -> None:
        super().__init__(*args, **options)
        self._served = served

    def connection_made(self, transport: Any) -> None:
        self._served.open.append(self)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._served.open.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._served.taken += len(data)
        super().data_received(data)


@asynccontextmanager
async def counted(app: Any) -> AsyncIterator[Served]:
    """Serve with the configuration of the command, on a free port."""
    served = Served()
    config = serving._build_server(app).config
    config.http_protocol_class = partial(  # type: ignore[assignment]
        CountedProtocol, idle=IdleConnections(), served=served
    )
    config.http, config.port = config.http_protocol_class, 0
    config.log_level = "warning"
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  (it tells nobody)
        await asyncio.sleep(0.01)
    served.port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        for wire in served.wires:
            await wire.close()
        server.should_exit = server.force_exit = True
        await task


class Wire:
    """A client that sends bytes as they are given."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._sending: asyncio.Task[None] | None = None

    def send(self, data: bytes) -> None:
        """Send as far as the service takes it; nobody waits for that."""

        async def sending() -> None:
            for start in range(0, len(data), 65536):
                self._writer.write(data[start : start + 65536])
                await self._writer.drain()

        self._sending = asyncio.create_task(sending())

    async def head(self) -> bytes:
        """What is answered, up to the empty line."""
        return await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), SOON_S)

    async def body(self, head: bytes) -> bytes:
        """As much as the head says."""
        for line in head.lower().splitlines():
            if line.startswith(b"content-length:"):
                return await self._reader.readexactly(int(line.partition(b":")[2]))
        return b""

    async def rest(self) -> bytes:
        """All that comes until the service closes the connection."""
        return await asyncio.wait_for(self._reader.read(), SOON_S)

    async def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.gather(self._sending, return_exceptions=True)
        self._writer.transport.abort()
        await asyncio.sleep(0)  # until it is closed
