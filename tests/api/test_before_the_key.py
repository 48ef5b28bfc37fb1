"""Before the key: every route, every method and every kind of body of who has none, on a real
port. Nothing of a body reaches the application, and few bytes of it are taken from the socket."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from counted_server import SOON_S, Served, counted
from starlette.routing import Route, WebSocketRoute

from graphmem.app import create_app
from graphmem.operations.authentication import KeyAuthenticator
from graphmem.services.context import Context
from graphmem.services.keys import create_key
from graphmem.settings import Settings

MOST_TAKEN = 512 * 1024  # of a request without a key, whatever it sends
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY")
BIG = b'{"content": "' + b"x" * 1_000_000 + b'"}'
# What may be read without a key: it tells nothing of anybody. Every other route asks for one.
PUBLIC = {
    "/",
    "/dashboard",
    "/dashboard/",
    "/dashboard/{name:path}",
    "/docs",
    "/docs.css",
    "/docs.js",
    "/graphiql/{name}",
    "/health",
    "/livez",
    "/openapi.json",
    "/readyz",
    "/schema.graphql",
    "/v1/health",
    "/version",
}
EVERY_METHOD = ("none", "json", "huge")  # the other kinds come by two methods
WITHOUT_BODY = {401, 404, 405, 406}  # of a GET that reads nothing


def fixed(body: bytes, kind: str = "application/json", *more: str) -> tuple[bytes, bytes]:
    """Lines of a head, and the body that it tells of."""
    lines = [f"Content-Type: {kind}", f"Content-Length: {len(body)}", *more]
    return "".join(f"{line}\r\n" for line in lines).encode(), body


def chunks(size: int, count: int, end: bool) -> tuple[bytes, bytes]:
    """A body in pieces."""
    one = f"{size:x}\r\n".encode() + b"{" * size + b"\r\n"
    head = b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    return head, one * count + (b"0\r\n\r\n" if end else b"")


KINDS: dict[str, tuple[bytes, bytes]] = {
    "none": (b"", b""),
    "empty": fixed(b""),
    "json": fixed(b'{"query": "{ viewer { user { id } } }"}'),
    "not json": fixed(b"{" * 1000),
    "deep": fixed(b"[" * 200_000),
    "text": fixed(b"hello", "text/plain"),
    "form": fixed(b"query=%7Bviewer%7D", "application/x-www-form-urlencoded"),
    "multipart": fixed(b"--x\r\n\r\n" + b"y" * 900_000, "multipart/form-data; boundary=x"),
    "big": fixed(BIG),
    "a few chunks": chunks(10, 3, end=True),
    "chunks without an end": chunks(60_000, 20, end=False),
    "large chunks": chunks(500_000, 3, end=True),
    "expected": (fixed(BIG, "application/json", "Expect: 100-continue")[0], b""),
    "expected and sent": fixed(BIG, "application/json", "Expect: 100-continue"),
    "bomb": fixed(gzip.compress(b"0" * 20_000_000), "application/json", "Content-Encoding: gzip"),
    "slow": (b"Content-Type: application/json\r\nContent-Length: 1000\r\n", b"{"),
    "no end": (b"Content-Type: application/json\r\nContent-Length: 900000\r\n", b"x" * 500_000),
    "huge": (b"Content-Type: application/json\r\nContent-Length: 999999999999\r\n", BIG),
}  # fmt: skip
NO_LENGTH = {
    "negative": b"Content-Length: -5\r\n",
    "word": b"Content-Length: many\r\n",
    "two": b"Content-Length: 5\r\nContent-Length: 7\r\n",
    "both": b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "unknown coding": b"Transfer-Encoding: gzip\r\n",
}


@pytest.fixture(scope="module")
def keyed(settings: Settings, context: Context) -> Any:
    return create_app(settings.model_copy(update={"auth": "keys"}), opened=context)


async def ask(
    served: Served, method: str, path: str, kind: tuple[bytes, bytes]
) -> tuple[int, bytes]:
    """The status of the answer, and its head."""
    wire = await served.connect()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
    wire.send(head + kind[0] + b"\r\n" + kind[1])
    try:
        answer = await wire.head()
        return int(answer.split(b" ", 2)[1]), answer
    finally:
        await wire.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def served(keyed: Any) -> AsyncIterator[Served]:
    async with counted(keyed) as served:
        yield served


def paths_of(app: Any) -> list[str]:
    """Every path that is served, with something in each pair of braces."""
    assert all(isinstance(each, Route | WebSocketRoute) for each in app.routes)
    return sorted({each.path for each in app.routes if isinstance(each, Route)})


def filled(path: str) -> str:
    return path.replace("{path:path}", "nowhere").replace("{", "").replace("}", "")


def is_public(path: str) -> bool:
    return path in PUBLIC or path.startswith("/.well-known/")


def test_each_public_route_is_there(keyed: Any) -> None:
    assert set(paths_of(keyed)) >= PUBLIC


@pytest.mark.parametrize("kind", KINDS)
async def test_without_a_key_no_route_reads_a_body(served: Served, keyed: Any, kind: str) -> None:
    for path in (*paths_of(keyed), "/nowhere"):
        for method in METHODS if kind in EVERY_METHOD else ("POST", "GET"):
            before = served.taken
            status, head = await ask(served, method, filled(path), KINDS[kind])
            place = (method, path, status)
            assert served.taken - before <= MOST_TAKEN, place
            assert b"100 Continue" not in head, place
            if method not in ("GET", "HEAD"):
                assert status == 401, place
                assert b"www-authenticate: bearer" in head.lower(), place
            elif not is_public(path):
                assert status in WITHOUT_BODY, place


@pytest.mark.parametrize("kind", NO_LENGTH)
async def test_a_length_that_is_none_is_refused(served: Served, keyed: Any, kind: str) -> None:
    for path in paths_of(keyed):
        before = served.taken
        status, _ = await ask(served, "POST", filled(path), (NO_LENGTH[kind], BIG))
        assert status in (400, 401, 501), path
        assert served.taken - before <= MOST_TAKEN, path


async def test_many_bodies_at_once_are_not_held_while_the_key_is_looked_for(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the database is slow: 300 clients, each with a body of megabytes."""
    may_look = asyncio.Event()
    admit = KeyAuthenticator.admit

    async def waiting(*args: Any) -> Any:
        await may_look.wait()
        return await admit(*args)

    monkeypatch.setattr(KeyAuthenticator, "admit", waiting)
    before, wires = served.taken, []
    kinds = [KINDS[name] for name in ("big", "chunks without an end", "huge", "slow", "multipart")]
    for n in range(300):
        lines, body = kinds[n % len(kinds)]
        path = ("/v1/remember", "/graphql", "/mcp/memory", "/remember", "/nowhere")[n // 5 % 5]
        wire = await served.connect()
        key = b"Authorization: Bearer gm_none\r\n"
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
        wire.send(head + key + lines + b"\r\n" + body)
        wires.append(wire)
    async with asyncio.timeout(SOON_S):
        while served.asked < 300:  # noqa: ASYNC110  (it tells nobody)
            await asyncio.sleep(0.01)
    for _ in range(20):  # whatever more it would take
        await asyncio.sleep(0.01)
    assert served.taken - before <= 300 * 160 * 1024
    assert served.held <= 300 * 160 * 1024
    may_look.set()
    for wire in wires:
        assert b" 401 " in await wire.head()
        await wire.close()


async def test_with_a_key_a_body_is_asked_for_and_read(
    served: Served, context: Context, new_user: Any
) -> None:
    _, secret = await create_key(context.graph, context.clock, user=new_user())
    body = json.dumps({"content": "The heron stands in the reeds. " + "x" * 40_000}).encode()
    lines, _ = fixed(body, "application/json", "Expect: 100-continue")
    wire = await served.connect()
    head = b"POST /v1/remember HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
    wire.send(head + secret.encode() + b"\r\n" + lines + b"\r\n")
    assert b"100 Continue" in await wire.head()
    wire.send(body)
    assert b" 201 " in await wire.head()
    await wire.close()


async def test_after_a_refusal_with_a_small_body_the_next_request_is_answered(
    served: Served,
) -> None:
    """What is left of a body is thrown away, as far as it is little."""
    wire = await served.connect()
    lines, body = fixed(b"x" * 20_000)
    wire.send(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n" + lines + b"\r\n" + body)
    answer = await wire.head()
    assert b" 200 " in answer
    await wire.body(answer)
    wire.send(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert b" 200 " in await wire.head()
    await wire.close()
