"""The bytes of requests that a service holds: one budget for all, given back in every way a request
can end; and sockets whose sender is not known, which may send little."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
import websockets
from counted_server import SOON_S, Served, Wire, counted

from graphmem.api.bodies import Bodies
from graphmem.api.sockets import SocketAdapter
from graphmem.app import create_app
from graphmem.cli.connections import UNKNOWN_MESSAGE
from graphmem.errors import Unavailable
from graphmem.operations.bodies import BodyBudget
from graphmem.operations.holding import Holding
from graphmem.services.context import Context
from graphmem.services.keys import create_key
from graphmem.settings import Settings

LIMIT, BUDGET = 100_000, 400_000  # of one request, of all; of one user half of them
NOTE = "The heron stands in the reeds. "
ROUTES = ("/v1/remember", "/remember", "/graphql", "/mcp/memory", "/nowhere")
GRAPHQL = "mutation R($i: RememberInput!) { remember(input: $i) { operation } }"


class Place:
    """A service with keys and little room, on a port of its own."""

    def __init__(self, app: Any, context: Context, new_user: Callable[[], str]) -> None:
        self.app, self.context, self.new_user = app, context, new_user
        self.served = Served()
        (self.budget,) = (
            each.kwargs["budget"] for each in app.user_middleware if each.cls is Bodies
        )

    async def key(self, user: str | None = None) -> str:
        _, secret = await create_key(
            self.context.graph, self.context.clock, user=user or self.new_user(), agent="desk"
        )
        return secret

    async def send(self, path: str, key: str, length: int, body: bytes = b"") -> Wire:
        """Begin a request whose body has this length; so much of it is sent."""
        wire = await self.served.connect()
        lines = [
            f"POST {path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {key}",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            f"Content-Length: {length}",
        ]
        wire.send("\r\n".join([*lines, "", ""]).encode() + body)
        return wire

    async def until(self, held: int) -> None:
        """Wait until so many bytes are held."""
        async with asyncio.timeout(SOON_S):
            while self.budget.held != held:  # noqa: ASYNC110  (it tells nobody)
                await asyncio.sleep(0.01)


@asynccontextmanager
async def opened(
    settings: Settings, context: Context, new_user: Callable[[], str], **more: Any
) -> AsyncIterator[Place]:
    given = {"auth": "keys", "body_limit": LIMIT, "bodies_limit": BUDGET, **more}
    place = Place(create_app(settings.model_copy(update=given), context), context, new_user)
    async with counted(place.app) as place.served:
        yield place


@pytest_asyncio.fixture(loop_scope="session")
async def place(
    settings: Settings, context: Context, new_user: Callable[[], str]
) -> AsyncIterator[Place]:
    async with opened(settings, context, new_user) as place:
        yield place


def body_for(path: str, text: str) -> bytes:
    """A request that stores a text."""
    if path == "/graphql":
        given: Any = {"query": GRAPHQL, "variables": {"i": {"content": text}}}
    elif path.startswith("/mcp"):
        call = {"name": "memory.write", "arguments": {"content": text}}
        given = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    else:
        given = {"text": text} if path == "/remember" else {"content": text}
    return json.dumps(given).encode()


def test_a_budget_is_shared_and_given_back() -> None:
    budget = BodyBudget(100, body_limit=10)
    ada, mara, anybody = (Holding(budget, user=user) for user in ("ada", "mara", None))
    ada.take(50)
    with pytest.raises(Unavailable) as refused:
        ada.take(1)
    assert refused.value.details["retryAfter"] > 0
    mara.take(40)
    anybody.take(10)
    for held in (ada, mara, anybody):
        with pytest.raises(Unavailable):
            held.take(1)
    assert budget.held == 100
    for held in (ada, mara, anybody, anybody):
        held.release()
    assert budget.held == 0
    assert BodyBudget(5, body_limit=10)._share == 10  # or a request could never be sent


@pytest.mark.parametrize("path", ROUTES)
async def test_bytes_are_given_back_however_a_request_ends(place: Place, path: str) -> None:
    key = await place.key()
    good = body_for(path, NOTE)
    # Of the last two, one breaks off and one has more than it may have.
    for length, body in ((len(good), good), (9, b"{" * 9), (90_000, b"[" * 90_000)):
        wire = await place.send(path, key, length, body)
        assert await wire.head()
        await place.until(0)
        await wire.close()
    wire = await place.send(path, key, 90_000, b"x" * 50_000)
    if path != "/nowhere":  # which reads no body
        await place.until(50_000)
    await wire.close()
    await place.until(0)
    endless = f"{60_000:x}\r\n".encode() + b"x" * 60_000 + b"\r\n"
    wire = await place.served.connect()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
    kind = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    wire.send((head + kind + "Transfer-Encoding: chunked\r\n\r\n").encode() + endless * 3)
    assert b" 413 " in await wire.head() or path == "/nowhere"
    await place.until(0)
    await wire.close()


@pytest.mark.parametrize("path", ROUTES[:-1])
async def test_beyond_the_budget_a_request_is_refused_and_changes_nothing(
    place: Place, path: str
) -> None:
    keys = [await place.key() for _ in range(5)]
    before = await _written(place, keys[4])
    slow = [await place.send("/v1/remember", key, 100_000, b" " * 95_000) for key in keys[:4]]
    await place.until(380_000)
    body, key = body_for(path, NOTE + "x" * 30_000), keys[4]
    wire = await place.send(path, key, len(body), body)
    head = await wire.head()
    assert b" 503 " in head
    assert b"retry-after: " in head.lower()
    assert b"UNAVAILABLE" in await wire.body(head) or path == "/remember"  # whose document has none
    await wire.close()
    for each in slow:
        await each.close()
    await place.until(0)
    assert await _written(place, key) == before
    wire = await place.send(path, key, len(body), body)
    head = await wire.head()
    assert b" 20" in head
    await wire.close()
    if path != "/remember":  # of which nobody is told
        assert await _written(place, key) > before


async def _written(place: Place, key: str) -> int:
    query = json.dumps({"query": "{ events(first: 100) { seq } }"}).encode()
    wire = await place.send("/graphql", key, len(query), query)
    answer = json.loads(await wire.body(await wire.head()))
    await wire.close()
    return len(answer["data"]["events"])


async def test_one_user_leaves_room_for_the_others(place: Place) -> None:
    user = place.new_user()
    keys = [await place.key(user) for _ in range(3)]
    slow = [await place.send("/v1/remember", key, 100_000, b" " * 95_000) for key in keys[:2]]
    await place.until(190_000)
    third = await place.send("/v1/remember", keys[2], 100_000, b" " * 95_000)
    assert b" 503 " in await third.head()
    body = body_for("/v1/remember", NOTE + "x" * 40_000)
    other = await place.send("/v1/remember", await place.key(), len(body), body)
    assert b" 201 " in await other.head()
    for wire in (*slow, third, other):
        await wire.close()
    await place.until(0)


# ------------------------------------------------------------------ sockets


def socket_to(port: int, **options: Any) -> Any:
    protocol = websockets.Subprotocol("graphql-transport-ws")
    return websockets.connect(f"ws://127.0.0.1:{port}/graphql", subprotocols=[protocol], **options)


@pytest.mark.parametrize("compression", [None, "deflate"])
async def test_a_socket_that_nobody_has_spoken_for_may_send_little(
    place: Place, compression: Any
) -> None:
    async with socket_to(place.served.port, compression=compression) as socket:
        long = {"type": "connection_init", "payload": {"x": "y" * 2 * UNKNOWN_MESSAGE}}
        await socket.send(json.dumps(long))
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), SOON_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


async def test_operations_on_a_socket_are_counted_until_they_end(
    settings: Settings, context: Context, new_user: Callable[[], str]
) -> None:
    async with opened(settings, context, new_user, bodies_limit=800_000) as place:
        key = await place.key()
        async with socket_to(place.served.port) as socket:
            init = {"type": "connection_init", "payload": {"authorization": f"Bearer {key}"}}
            await socket.send(json.dumps(init))
            assert "connection_ack" in str(await socket.recv())

            async def begin(name: str, query: str) -> None:
                padded = query + " " * 190_000
                sent = {"id": name, "type": "subscribe", "payload": {"query": padded}}
                await socket.send(json.dumps(sent))

            for name in "ab":
                await begin(name, "subscription { events { type } }")
            async with asyncio.timeout(SOON_S):
                while place.budget.held < 380_000:  # noqa: ASYNC110  (it tells nobody)
                    await asyncio.sleep(0.01)
            await begin("c", "{ viewer { user { id } } }")
            refused = json.loads(await asyncio.wait_for(socket.recv(), SOON_S))
            assert (refused["id"], refused["type"]) == ("c", "error")
            assert refused["payload"][0]["extensions"]["code"] == "UNAVAILABLE"
            await socket.send(json.dumps({"id": "a", "type": "complete"}))
            async with asyncio.timeout(SOON_S):
                while place.budget.held > 200_000:  # noqa: ASYNC110  (it tells nobody)
                    await asyncio.sleep(0.01)
            await begin("d", "{ viewer { user { id } } }")
            told = [json.loads(await asyncio.wait_for(socket.recv(), SOON_S)) for _ in range(2)]
            assert [each["type"] for each in told] == ["next", "complete"]
        await place.until(0)


async def test_bytes_of_a_message_are_counted() -> None:
    """Letters of other scripts take several."""

    class Wire:
        application_state = None

        async def receive_text(self) -> str:
            return '"\u2603\u2603"'

    class View:
        decode_json = staticmethod(json.loads)

    wire: Any = Wire()
    view: Any = View()
    adapter = SocketAdapter(view, wire, wire)
    async for message in adapter.iter_json():
        assert message == "\u2603\u2603"
        break
    assert adapter.size == 8
