"""Shares: one user, with any number of agents and keys, takes so many connections and streams, and
asks so often; and a stream ends by itself when its key no longer holds. Over every transport."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
import websockets
from counted_server import SOON_S, counted

from graphmem.api.bodies import Bodies
from graphmem.api.schema import sdl
from graphmem.app import create_app
from graphmem.mcp.routes import ENDPOINTS as MCP
from graphmem.operations import streams
from graphmem.rest.endpoints import ENDPOINTS
from graphmem.services.context import Context
from graphmem.services.keys import create_key, revoke_key
from graphmem.settings import Settings

MOST = 3
EVENTS = {"query": "subscription { events { type } }"}
FILLED = {"{id}": "0198c0de-0000-7000-8000-000000000000"}
# Each field of Subscription and each stream of REST, with what asks for it.
SUBSCRIPTIONS = {
    "events": EVENTS["query"],
    "jobRun": 'subscription { jobRun(id: "0198c0de-0000-7000-8000-000000000000") { id } }',
}


class Refused(Exception):
    """A stream that did not begin, or that ended: with the code of its error."""


class Place:
    """A service with keys on a port of its own."""

    def __init__(self, app: Any, context: Context, new_user: Callable[[], str]) -> None:
        self.app, self.context, self.new_user = app, context, new_user
        self.port = 0
        self.http = httpx.AsyncClient(timeout=SOON_S, limits=httpx.Limits(max_connections=None))

    @property
    def connections(self) -> Any:
        (bodies,) = (each for each in self.app.user_middleware if each.cls is Bodies)
        return bodies.kwargs["connections"]

    async def key(self, user: str, **given: Any) -> tuple[str, str]:
        key, secret = await create_key(self.context.graph, self.context.clock, user=user, **given)
        return key.id, secret

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@asynccontextmanager
async def opened(
    settings: Settings, context: Context, new_user: Callable[[], str], **given: Any
) -> AsyncIterator[Place]:
    given = {"auth": "keys", "user_connections": MOST, **given}
    place = Place(create_app(settings.model_copy(update=given), context), context, new_user)
    async with place.http, counted(place.app) as served:
        place.port = served.port
        yield place


# ------------------------------------------------------------------ transports
# Each opens a stream, raises Refused when it does not begin, and gives a function that waits for
# its end and raises Refused with the code of its last words.

Ending = Callable[[], Any]


def code_in(text: str) -> str:
    """The code of an error in what a stream said."""
    for line in text.splitlines():
        if '"code"' in line:
            found = json.loads(line.removeprefix("data:").strip())
            while isinstance(found, dict) and "code" not in found:
                found = found.get("extensions") or found.get("payload") or found.get("errors")
                found = found[0] if isinstance(found, list) else found
            return str(found["code"]) if found else ""
    return ""


@asynccontextmanager
async def by_http(
    place: Place, secret: str, method: str, path: str, **given: Any
) -> AsyncIterator[Ending]:
    headers = {"Authorization": f"Bearer {secret}", "Accept": "text/event-stream"}
    request = place.http.stream(method, place.url(path), headers=headers, **given)
    async with request as response:
        if response.status_code != 200:
            raise Refused(code_in((await response.aread()).decode()))
        lines = response.aiter_text()
        said: list[str] = []
        if path.startswith("/v1"):
            said.append(await anext(lines))

        async def ended() -> None:
            async for each in lines:
                said.append(each)
            raise Refused(code_in("".join(said)))

        yield ended


@asynccontextmanager
async def by_socket(place: Place, secret: str, query: str) -> AsyncIterator[Ending]:
    protocol = websockets.Subprotocol("graphql-transport-ws")
    address = f"ws://127.0.0.1:{place.port}/graphql"
    async with websockets.connect(address, subprotocols=[protocol]) as socket:

        async def heard() -> Any:
            try:
                return json.loads(await asyncio.wait_for(socket.recv(), SOON_S))
            except websockets.ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 0
                words = {1013: "RATE_LIMITED", 4401: "UNAUTHENTICATED"}
                raise Refused(words.get(code, str(code))) from closed

        init = {"type": "connection_init", "payload": {"authorization": f"Bearer {secret}"}}
        await socket.send(json.dumps(init))
        assert (await heard())["type"] == "connection_ack"
        sent = {"id": "a", "type": "subscribe", "payload": {"query": query}}
        await socket.send(json.dumps(sent))
        # A word behind it, so that a refusal is heard where there is one.
        await socket.send(json.dumps({"type": "ping"}))
        for _ in range(2):
            try:
                message = json.loads(await asyncio.wait_for(socket.recv(), 0.5))
            except TimeoutError:
                break
            if message["type"] != "pong":
                raise Refused(code_in(json.dumps(message)))

        async def ended() -> None:
            while True:
                message = await heard()
                if message["type"] in ("error", "next") and "code" in json.dumps(message):
                    raise Refused(code_in(json.dumps(message)))

        yield ended


def stream(place: Place, transport: str, secret: str) -> Any:
    match transport:
        case "graphql-transport-ws":
            return by_socket(place, secret, EVENTS["query"])
        case "GraphQL by POST":
            return by_http(place, secret, "POST", "/graphql", json=EVENTS)
        case "GraphQL by GET":
            return by_http(place, secret, "GET", "/graphql", params=EVENTS)
        case _:
            return by_http(place, secret, "GET", "/v1/events/stream")


TRANSPORTS = ("graphql-transport-ws", "GraphQL by POST", "GraphQL by GET", "REST")


async def begun(place: Place, count: int) -> None:
    """Wait until so many connections are counted."""
    async with asyncio.timeout(SOON_S):
        while place.connections.taken != count:  # noqa: ASYNC110  (it tells nobody)
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_one_user_takes_a_share_and_others_still_connect(
    settings: Settings, context: Context, new_user: Callable[[], str], transport: str
) -> None:
    async with opened(settings, context, new_user) as place:
        user = new_user()
        keys = [(await place.key(user, agent=f"agent{n}"))[1] for n in range(MOST + 1)]
        _, other = await place.key(new_user())
        waiting = [stream(place, transport, key) for key in keys[:MOST]]
        for each in waiting:
            await each.__aenter__()
        await begun(place, MOST)
        with pytest.raises(Refused, match="RATE_LIMITED"):
            async with stream(place, transport, keys[MOST]):
                pass
        async with stream(place, transport, other):
            await begun(place, MOST + 1)
        await waiting.pop().__aexit__(None, None, None)
        await begun(place, MOST - 1)
        async with stream(place, transport, keys[MOST]):
            await begun(place, MOST)
        for each in waiting:
            await each.__aexit__(None, None, None)
        await begun(place, 0)


def test_each_stream_is_known() -> None:
    text = sdl()
    begin = text.index("type Subscription")
    fields = text[begin : text.index("\n}", begin)]
    assert all(f"  {name}(" in fields for name in SUBSCRIPTIONS)
    assert fields.count("(\n") + fields.count("): ") >= len(SUBSCRIPTIONS)
    paths = {each.path for each in ENDPOINTS if each.streams}
    exports = {"/v1/export", "/v1/teams/{team}/export"}
    assert paths == {"/v1/events/stream", "/v1/jobs/runs/{id}/stream", *exports}


async def test_every_stream_counts(
    settings: Settings, context: Context, new_user: Callable[[], str]
) -> None:
    """A user with as many streams as may be gets no other one, of whatever kind."""
    async with opened(settings, context, new_user, user_connections=1) as place:
        _, secret = await place.key(new_user(), admin=True)
        taken = {**EVENTS, "extensions": None}
        async with by_http(place, secret, "POST", "/graphql", json=taken):
            await begun(place, 1)
            place.connections._each = 100  # the streams alone are asked about
            for query in SUBSCRIPTIONS.values():
                with pytest.raises(Refused, match="RATE_LIMITED"):
                    async with by_socket(place, secret, query) as ended:
                        await ended()
                with pytest.raises(Refused, match="RATE_LIMITED"):
                    async with by_http(
                        place, secret, "POST", "/graphql", json={"query": query}
                    ) as ended:
                        await ended()
            for endpoint in ENDPOINTS:
                if endpoint.streams:
                    path = endpoint.path.replace("{id}", FILLED["{id}"])
                    with pytest.raises(Refused, match="RATE_LIMITED"):
                        async with by_http(place, secret, "GET", path):
                            pass


async def test_sockets_without_streams_count_too(
    settings: Settings, context: Context, new_user: Callable[[], str]
) -> None:
    async with opened(settings, context, new_user) as place:
        _, secret = await place.key(new_user())
        protocol = websockets.Subprotocol("graphql-transport-ws")
        address = f"ws://127.0.0.1:{place.port}/graphql"
        init = {"type": "connection_init", "payload": {"authorization": f"Bearer {secret}"}}
        idle = [await websockets.connect(address, subprotocols=[protocol]) for _ in range(MOST + 1)]
        for socket in idle:
            await socket.send(json.dumps(init))
            if socket is not idle[-1]:
                assert "connection_ack" in str(await socket.recv())
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await asyncio.wait_for(idle[-1].recv(), SOON_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013
        for socket in idle:
            await socket.close()
        await begun(place, 0)


@pytest.mark.parametrize("how", ["expired", "revoked"])
@pytest.mark.parametrize("transport", [*TRANSPORTS, "an idle socket"])
async def test_a_stream_ends_when_its_key_does_though_nothing_happens(
    settings: Settings,
    context: Context,
    new_user: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    transport: str,
    how: str,
) -> None:
    monkeypatch.setattr(streams, "LOOK_S", 0.2)
    later = [timedelta(0)]
    service = replace(context, clock=lambda: context.clock() + later[0])
    async with opened(settings, service, new_user) as place:
        key, secret = await place.key(new_user(), agent="desk", until=timedelta(hours=1))
        if transport == "an idle socket":
            one = by_socket(place, secret, 'subscription { jobRun(id: "none") { id } }')
            with pytest.raises(Refused, match="FORBIDDEN"):
                await one.__aenter__()
            one = idle_socket(place, secret)
        else:
            one = stream(place, transport, secret)
        async with one as ended:
            await begun(place, 1)
            if how == "revoked":
                await revoke_key(context.graph, context.clock, key)
            else:
                later[0] = timedelta(hours=2)
            with pytest.raises(Refused, match="UNAUTHENTICATED"):
                await asyncio.wait_for(ended(), SOON_S)
        await begun(place, 0)


@asynccontextmanager
async def idle_socket(place: Place, secret: str) -> AsyncIterator[Ending]:
    protocol = websockets.Subprotocol("graphql-transport-ws")
    address = f"ws://127.0.0.1:{place.port}/graphql"
    async with websockets.connect(address, subprotocols=[protocol]) as socket:
        init = {"type": "connection_init", "payload": {"authorization": f"Bearer {secret}"}}
        await socket.send(json.dumps(init))
        assert "connection_ack" in str(await socket.recv())

        async def ended() -> None:
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401
            raise Refused("UNAUTHENTICATED")

        yield ended


# ------------------------------------------------------------------ how often

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
BY_AGENT: dict[str, Callable[[str], dict[str, Any]]] = {
    "MCP": lambda agent: {
        "method": "POST",
        "url": "/mcp/memory",
        "json": {**CALL, "params": {"name": "memory.stats", "arguments": {"agent_id": agent}}},
    },
    "the daemon": lambda agent: {"method": "GET", "url": f"/recall?query=x&agentId={agent}"},
    "REST": lambda agent: {"method": "GET", "url": "/v1/stats"},
    "GraphQL": lambda agent: {
        "method": "POST",
        "url": "/graphql",
        "json": {"query": "{ stats { totalNotes } }"},
    },
}


@pytest.mark.parametrize("auth", ["open", "keys"])
@pytest.mark.parametrize("protocol", BY_AGENT)
async def test_a_new_name_gives_no_more_operations(
    settings: Settings, context: Context, new_user: Callable[[], str], protocol: str, auth: str
) -> None:
    app = create_app(settings.model_copy(update={"auth": auth, "rate_limit": 3}), context)
    user = new_user()
    _, secret = await create_key(context.graph, context.clock, user=user)
    _, other = await create_key(context.graph, context.clock, user=new_user())
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as http:

        async def limited(n: int, key: str, who: str) -> bool:
            headers = {
                "Accept": "application/json, text/event-stream",
                "Authorization": f"Bearer {key}",
                "X-Graphmem-User": who,
                "X-Graphmem-Agent": f"agent{n}",
            }
            answer = await http.request(headers=headers, **BY_AGENT[protocol](f"agent{n}"))
            return answer.status_code == 429 or "RATE_LIMITED" in answer.text

        assert [await limited(n, secret, user) for n in range(5)] == [False] * 3 + [True] * 2
        assert not await limited(9, other, new_user())


async def test_over_mcp_there_is_no_stream(
    settings: Settings, context: Context, new_user: Callable[[], str]
) -> None:
    """Each request is answered by one document, so none stays open."""
    async with opened(settings, context, new_user) as place:
        _, secret = await place.key(new_user())
        headers = {
            "Authorization": f"Bearer {secret}",
            "Accept": "text/event-stream, application/json",
        }
        for name in MCP:
            url = place.url(f"/mcp/{name}")
            assert (await place.http.get(url, headers=headers)).status_code == 405
            for method in ("resources/subscribe", "subscriptions/listen"):
                asked = {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": method,
                    "params": {"uri": "graphmem://core"},
                }
                answer = await place.http.post(url, headers=headers, json=asked)
                assert "error" in answer.json(), method
        await begun(place, 0)
