"""The service behind `graphmem mcp`: opened once, watched, and opened anew."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from graphmem.errors import Unavailable
from graphmem.mcp.reconnecting import ReconnectingService


class Place:
    """Opens services by number; a test says which of them answer."""

    def __init__(self) -> None:
        self.opened, self.closed = 0, 0
        self.dead: set[int] = set()
        self.refused = 0  # times that opening fails
        self.second = asyncio.Event()  # was opened

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Any]:
        if self.refused:
            self.refused -= 1
            raise Unavailable
        self.opened += 1
        if self.opened == 2:
            self.second.set()
        try:
            yield self.opened
        finally:
            self.closed += 1

    async def alive(self, service: Any) -> None:
        if service in self.dead:
            raise Unavailable


@pytest.mark.feature("DAEM-18")
async def test_a_service_that_died_is_opened_anew() -> None:
    place = Place()
    connection = ReconnectingService(place.open, place.alive, watch_s=0.001)
    async with asyncio.timeout(60), connection.connected():
        one: Any = await connection.service()
        place.dead, place.refused = {one}, 3
        await place.second.wait()
        assert await connection.service() == 2
        assert place.closed == 1
    assert (place.opened, place.closed) == (2, 2)


async def test_a_service_that_never_opens_is_an_error() -> None:
    place = Place()
    place.refused = 1
    connection = ReconnectingService(place.open, place.alive)
    with pytest.raises(Unavailable):
        async with asyncio.timeout(60), connection.connected() as running:
            await asyncio.wait([running])


async def test_calls_wait_while_it_is_opened_and_the_end_closes_it() -> None:
    place, gate = Place(), asyncio.Event()

    @asynccontextmanager
    async def slowly() -> AsyncIterator[Any]:
        await gate.wait()
        async with place.open() as service:
            yield service

    connection = ReconnectingService(slowly, place.alive)
    async with asyncio.timeout(60):
        async with connection.connected():
            waiting = asyncio.create_task(connection.service())
            await asyncio.sleep(0)
            assert not waiting.done()
            gate.set()
            assert await waiting == 1
        assert place.closed == 1
        gate.clear()
        async with ReconnectingService(slowly, place.alive).connected():
            await asyncio.sleep(0)
    assert place.opened == 1
