"""The protocol half of the service: requests, refusals, limits, masking, contexts, middleware."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
import structlog
import websockets
from graphql import build_schema, get_introspection_query, parse
from toy_service import SECRET, ToyContext, World, serving, toy_app, toy_schema

from graphmem.api.cost import operation_cost
from graphmem.api.limits import Limits, document_checker
from graphmem.api.negotiation import EVENTS, JSON, RESPONSE, best_type


@pytest.fixture
def world() -> World:
    return World()


def client_of(app, host: str = "127.0.0.1:8321", **headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}", headers=headers)


@pytest_asyncio.fixture(loop_scope="session")
async def client(world) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(toy_app(world)) as client:
        yield client


async def ask(client: httpx.AsyncClient, query: str, accept: str = RESPONSE, **variables):
    body = {"query": query, "variables": variables}
    return await client.post("/graphql", json=body, headers={"accept": accept})


def code_of(response: httpx.Response) -> str:
    """The code of an error: in GraphQL's form at /graphql, elsewhere of a problem (RFC 9457)."""
    kind = response.headers["content-type"].split(";")[0]
    if kind == "application/problem+json":
        assert response.request.url.path != "/graphql"
        return response.json()["code"]
    assert kind in (JSON, RESPONSE)
    return response.json()["errors"][0]["extensions"]["code"]


# ------------------------------------------------------------------ requests


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (RESPONSE, RESPONSE),
        (f"{RESPONSE}, {JSON}", RESPONSE),
        (f"{JSON}, {RESPONSE}", RESPONSE),
        (f"{JSON};q=0.9, {RESPONSE};q=0.5", JSON),
        (f"{RESPONSE};q=0, */*", JSON),
        (f"{EVENTS};q=0.5, {JSON};q=0.4", EVENTS),
        (f"{JSON}, {EVENTS}, multipart/mixed", JSON),
        (f"{EVENTS}, multipart/mixed", EVENTS),
        ("text/html, */*;q=0.8", JSON),
        ("APPLICATION/JSON", JSON),
        ("text/html", None),
        (f"{JSON};q=0", None),
        (f"{JSON};q=high", None),
    ],
)
def test_the_answer_has_the_type_that_the_client_wants_most(accept, chosen):
    assert best_type(accept) == chosen


async def test_a_client_that_takes_none_of_our_types_gets_406(client):
    response = await ask(client, "{ echo(text: 1) }", accept="text/html")
    assert (response.status_code, code_of(response)) == (406, "BAD_USER_INPUT")


async def test_queries_may_come_by_get_but_mutations_may_not(client, world):
    query = await client.get("/graphql", params={"query": "{ size }", "variables": "{}"})
    assert query.json() == {"data": {"size": 3}}
    mutation = await client.get("/graphql", params={"query": "mutation { setValue(value: 9) }"})
    assert (mutation.status_code, mutation.headers["allow"]) == (405, "POST")
    assert code_of(mutation) == "BAD_USER_INPUT"
    assert world.value == 0


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data; boundary=x",
        "text/plain; a=application/json",
        "application/json; charset=utf-16",
        "",
    ],
)
async def test_a_form_of_another_site_can_not_change_anything(client, world, kind):
    body = json.dumps({"query": "mutation { setValue(value: 9) }"})
    response = await client.post("/graphql", content=body, headers={"content-type": kind})
    assert (response.status_code, code_of(response)) == (415, "BAD_USER_INPUT")
    assert world.value == 0


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
async def test_other_methods_are_refused(client, method):
    response = await client.request(method, "/graphql")
    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST")
    assert code_of(response) == "BAD_USER_INPUT"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"1",
        b'"{ size }"',
        b'[{"query": "{ size }"}]',
        b"{}",
        b'{"query": 1}',
        b'{"query": ""}',
        b'{"query": "{ size }", "variables": []}',
        b'{"query": "{ size }", "operationName": 1}',
        b'{"query": "{ size }", "operationName": "Nope"}',
        b'{"query": "{ size }", "extensions": "x"}',
        b'{"query": "{ size }", "variables": {"v": NaN}}',
        b'{"query": "{ size }", "variables": {"v": ' + b"9" * 5000 + b"}}",
        b'{"query": "{ size }", "variables": ' + b"[" * 50_000,
    ],
    ids=lambda body: body[:45].decode(errors="replace"),
)
async def test_a_broken_request_or_a_batch_gets_400_and_json(client, body):
    headers = {"content-type": "application/json"}
    response = await client.post("/graphql", content=body, headers=headers)
    assert (response.status_code, code_of(response)) == (400, "BAD_USER_INPUT")
    assert "data" not in response.json()


@pytest.mark.parametrize("accept", [JSON, RESPONSE])
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{", "GRAPHQL_PARSE_FAILED"),
        ("{ nope }", "GRAPHQL_VALIDATION_FAILED"),
        ("query ($v: Int!) { size(first: $v) }", "BAD_USER_INPUT"),
        ("query ($text: Int) { size(first: $text) }", "BAD_USER_INPUT"),
    ],
)
async def test_an_operation_that_does_not_run_has_no_data(client, accept, query, code):
    response = await ask(client, query, accept, text="x")
    assert code_of(response) == code
    assert "data" not in response.json()
    assert response.status_code == (400 if accept == RESPONSE else 200)


async def test_explicit_null_for_a_required_argument_is_the_callers_fault(client):
    query = "query ($v: Int = 3) { size(first: $v) }"
    response = await client.post("/graphql", json={"query": query, "variables": {"v": None}})
    error = response.json()["errors"][0]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
    assert "first" in error["message"]


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("{ valu }", {}),
        ('{ ech(text: "a") }', {}),
        ("{ size(firs: 1) }", {}),
        ('{ echo(text: "a", colour: REDD) }', {}),
        ("{ find(input: {tex: 1}) { nodes { id } } }", {}),
        ("query ($c: Colour!) { echo(text: 1, colour: $c) }", {"c": "REDD"}),
        ('query ($c: Colour!) { echo(text: "a", colour: $c) }', {"c": "REDD"}),
        ("query ($s: Search!) { find(input: $s) { nodes { id } } }", {"s": {"tex": 1}}),
        ("{ ... on Quer { size } }", {}),
    ],
)
async def test_errors_suggest_no_names(client, query, variables):
    response = await ask(client, query, **variables)
    assert response.json()["errors"]
    assert "Did you mean" not in response.text


async def test_introspection_is_open_unless_it_is_closed(client, world):
    assert "errors" not in (await ask(client, get_introspection_query())).json()
    async with client_of(toy_app(world, introspection=False)) as closed:
        response = await ask(closed, get_introspection_query())
        assert code_of(response) == "GRAPHQL_VALIDATION_FAILED"
        assert (await ask(closed, "{ __typename size }")).json()["data"]["size"] == 3


async def test_there_is_no_page_that_loads_scripts_from_elsewhere(client):
    response = await client.get("/graphql", headers={"accept": "text/html, */*"})
    assert (response.status_code, code_of(response)) == (400, "BAD_USER_INPUT")


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("query", ["{ crash }", "{ wrongType }", "{ value crash }"])
async def test_unknown_errors_are_masked_and_logged_without_their_text(client, caplog, query):
    with structlog.testing.capture_logs() as logs, caplog.at_level(logging.DEBUG):
        response = await client.post(
            "/graphql", json={"query": query}, headers={"x-request-id": "id-7"}
        )
    (error,) = response.json()["errors"]
    assert error["message"] == "Internal error"
    assert error["extensions"] == {
        "code": "INTERNAL_SERVER_ERROR",
        "retryable": False,
        "requestId": "id-7",
    }
    assert "my diary" not in response.text + str(logs) + caplog.text
    assert [entry["log_level"] for entry in logs] == ["error"]
    assert logs[0]["request_id"] == "id-7"
    assert "executor.py" in logs[0]["stack"]


async def test_our_own_errors_keep_their_words_but_not_their_cause(client):
    conflict = (await ask(client, "{ conflict }")).json()
    assert conflict["data"] == {"conflict": None}
    assert conflict["errors"][0]["message"] == "Somebody changed it"
    extensions = {"code": "CONFLICT", "retryable": False, "version": 7}
    assert conflict["errors"][0]["extensions"] == extensions
    unavailable = await ask(client, "{ crashInCause }")
    assert unavailable.json()["errors"][0]["extensions"]["retryable"] is True
    assert code_of(unavailable) == "UNAVAILABLE"
    assert SECRET not in unavailable.text


@pytest.mark.parametrize(
    ("who", "status", "code"),
    [
        ("revoked", 401, "UNAUTHENTICATED"),
        ("banned", 403, "FORBIDDEN"),
        ("down", 503, "UNAVAILABLE"),
        ("bug", 500, "INTERNAL_SERVER_ERROR"),
    ],
)
@pytest.mark.parametrize("accept", [JSON, RESPONSE, EVENTS])
async def test_who_may_not_ask_gets_a_status_and_json(client, world, who, status, code, accept):
    world.revoked = {"revoked"}
    headers = {"authorization": who, "accept": accept}
    response = await client.post("/graphql", json={"query": "{ size }"}, headers=headers)
    assert (response.status_code, code_of(response)) == (status, code)
    assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
    assert "my diary" not in response.text


@pytest.mark.parametrize("accept", [JSON, RESPONSE, EVENTS])
async def test_an_operation_that_takes_too_long_is_stopped(world, accept):
    async with client_of(toy_app(world, timeout_s=0.5)) as client:
        response = await ask(client, "{ slow(seconds: 5) }", accept)
        assert '"code":"OPERATION_TIMEOUT","retryable":true' in response.text
        assert response.status_code == (504 if accept == RESPONSE else 200)
        assert (await ask(client, "{ slow(seconds: 0) }")).json() == {"data": {"slow": "done"}}
        events = await ask(client, "subscription { count(to: 60) { n } }", EVENTS)  # longer
        assert events.text.count("event: next") == 60


# ------------------------------------------------------------------ limits

FRAGMENTS = " ".join(f"fragment f{i} on Query {{ ...f{i + 1} ...f{i + 1} }}" for i in range(150))
CHAIN = " ".join(f"fragment f{i} on Query {{ ...f{i + 1} }}" for i in range(200))


@pytest.mark.parametrize(
    "query",
    [
        "{ notes { nodes { " + "parent { " * 10 + "id" + " }" * 13,
        "{ " + " ".join(f"a{i}: size" for i in range(16)) + " }",
        "{ " + " ".join(["size @skip(if: false)"] * 9) + " }",
        "{ " + "size " * 2000 + "}",
        "{ a: notes { nodes { ...f } } b: notes { nodes { ...f } } } "
        "fragment f on Item { " + " ".join(f"a{i}: id" for i in range(8)) + " }",
        "{ ...f0 } " + FRAGMENTS + " fragment f150 on Query { a: size b: size }",
        "{ ...f0 } " + CHAIN + " fragment f200 on Query { size }",
        "{ a" * 900,
        "{ ... " * 400 + "{ size }" + " }" * 400,
        "{ " + " ".join(f"a{i}: __schema {{ queryType {{ name }} }}" for i in range(6)) + " }",
    ],
    ids=[
        "depth",
        "aliases",
        "directives",
        "tokens",
        "aliases-in-fragments",
        "spreads",
        "chain",
        "open-braces",
        "inline",
        "introspection",
    ],
)
async def test_an_excessive_document_is_refused_at_once(client, query):
    async with asyncio.timeout(60):  # not minutes, or for ever
        response = await ask(client, query)
    assert (response.status_code, code_of(response)) == (400, "QUERY_TOO_COMPLEX")


async def test_cost_counts_sizes_that_come_in_variables(client):
    query = "query ($n: Int) { notes(first: $n) { nodes { items(first: $n) { id } } } }"
    assert "data" in (await ask(client, query)).json()
    assert "data" in (await ask(client, query, n=50)).json()
    for size in (500, 500.0, 2147483647):
        response = await ask(client, query, n=size)
        assert code_of(response) == "QUERY_TOO_COMPLEX"
        error = response.json()["errors"][0]
        assert error["extensions"]["cost"] > error["extensions"]["limit"]


SCHEMA = build_schema("""
    type Query { notes(first: Int = 50): Notes!  find(input: Find!): Notes!  me: Note  any: [Any!] }
    type Mutation { add(input: Add!): Added! }
    type Notes { nodes: [Note!]! total: Int! }
    type Note { id: ID! tags: [String!]! entities: [Entity!]! links(first: Int = 20): [Link!]! }
    type Entity { name: String! }
    type Link { id: ID! target: Note! }
    type Added { results: [Note!]! }
    union Any = Note | Entity
    input Find { k: Int = 10 tags: [String!] }
    input Add { notes: [String!]! }
""")


@pytest.mark.parametrize(
    ("query", "variables", "cost"),
    [
        ("{ me { id tags } }", {}, 1.5),
        ("{ me { entities { name } } }", {}, 13.5),
        ("{ notes { total } }", {}, 1.25),
        ("{ notes { nodes { id } } }", {}, 1 + 50 * 1.25),
        ("{ notes(first: 3) { ...f } } fragment f on Notes { nodes { id } }", {}, 1 + 3 * 1.25),
        ("query ($n: Int = 4) { notes(first: $n) { nodes { id } } }", {}, 1 + 4 * 1.25),
        ("query ($n: Int = 4) { notes(first: $n) { nodes { id } } }", {"n": 9}, 1 + 9 * 1.25),
        ("query ($n: Int) { notes(first: $n) { nodes { id } } }", {"n": None}, 1 + 50 * 1.25),
        ("query ($n: Int) { notes(first: $n) { nodes { id } } }", {"n": "x"}, 1 + 10 * 1.25),
        ("query ($n: Int) { notes(first: $n) { nodes { id } } }", {"n": -5}, 1 + 1.25),
        ("{ find(input: {k: 7}) { nodes { id } } }", {}, 1 + 7 * 1.25),
        ("query ($k: Int) { find(input: {k: $k}) { nodes { id } } }", {"k": 7}, 1 + 7 * 1.25),
        ("query ($f: Find!) { find(input: $f) { nodes { id } } }", {"f": {"k": 7}}, 9.75),
        ("query ($f: Find!) { find(input: $f) { nodes { id } } }", {"f": 1}, 1 + 10 * 1.25),
        (
            "mutation ($a: Add!) { add(input: $a) { results { id } } }",
            {"a": {"notes": ["n"] * 100}},
            1 + 100 * 1.25,
        ),
        ("{ any { ... on Note { id tags } ... on Entity { name } } }", {}, 10 * 1.75),
        ('{ __typename __type(name: "Note") { name } }', {}, 500),
    ],
)
def test_cost_of_an_operation(query, variables, cost):
    assert operation_cost(SCHEMA, parse(query), None, variables) == cost


def test_a_full_page_with_entities_is_affordable_and_its_square_is_not():
    page = "{ notes(first: 500) { nodes { id tags entities { name } } } }"
    square = """{ notes(first: 500) { nodes {
        links(first: 100) { target { links(first: 100) { id } } } } } }"""
    assert operation_cost(SCHEMA, parse(page), None, {}) < 20_000
    assert operation_cost(SCHEMA, parse(square), None, {}) > 20_000


async def test_only_the_operation_that_runs_is_priced(client):
    query = """query Small { size }
        query Large { notes(first: 500) { nodes { items(first: 500) { id } } } }"""
    for name, key in (("Small", "data"), ("Large", "errors")):
        body = {"query": query, "operationName": name}
        assert key in (await client.post("/graphql", json=body)).json()


def test_a_short_document_is_checked_once_and_a_long_one_is_not_kept():
    check = document_checker(toy_schema()._schema, Limits(), introspection=True)
    assert check("{ size }") is check("{ size }")
    broken = check("{ nope }")
    assert broken is check("{ nope }")
    assert [error.extensions for error in broken.errors] == [
        {"code": "GRAPHQL_VALIDATION_FAILED", "retryable": False}
    ]
    long = f'{{ echo(text: "{"x" * 5000}") }}'
    assert check(long) is not check(long)


async def test_fragments_in_a_circle_are_refused(client):
    response = await ask(
        client, "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }"
    )
    assert code_of(response) == "GRAPHQL_VALIDATION_FAILED"


# ------------------------------------------------------------------ contexts


async def test_each_operation_and_each_event_has_its_own_loaders(world):
    schema, loaders = toy_schema(), []
    context = ToyContext(world, loader=None)  # type: ignore

    async def value(query: str) -> object:
        return (await schema.execute(query, context_value=context)).data

    assert await value("{ value }") == {"value": 0}
    await value("mutation { setValue(value: 2) }")
    assert await value("{ value }") == {"value": 2}
    events = await schema.stream("subscription { count(to: 3) { value } }", context_value=context)
    loaders = [event.data["count"]["value"] async for event in events]
    assert loaders == [0, 10, 20]


async def test_a_key_is_checked_again_for_each_operation_on_a_socket(world):
    async with serving(toy_app(world)) as host, socket_to(host) as socket:
        payload = {"authorization": "key"}
        await tell(socket, {"type": "connection_init", "payload": payload})
        assert (await hear(socket))["type"] == "connection_ack"
        assert await operation(socket, "1") == ["next", "complete"]
        assert world.opened == ["key", "key"]
        world.revoked = {"key"}
        assert await operation(socket, "2") == ["UNAUTHENTICATED"]
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await hear(socket)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def socket_to(host: str):
    protocol = websockets.Subprotocol("graphql-transport-ws")
    return websockets.connect(f"ws://{host}/graphql", subprotocols=[protocol])


async def tell(socket, message: dict) -> None:
    await socket.send(json.dumps(message))


async def hear(socket) -> dict:
    return json.loads(await asyncio.wait_for(socket.recv(), 5))


async def operation(socket, name: str) -> list[str]:
    """Run a query and return the types of the messages, or the code of the error."""
    await tell(socket, {"type": "subscribe", "id": name, "payload": {"query": "{ size }"}})
    heard = await hear(socket)
    if heard["type"] == "error":
        return [heard["payload"][0]["extensions"]["code"]]
    return [heard["type"], (await hear(socket))["type"]]


# ------------------------------------------------------------------ middleware


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8321", 200),
        ("LOCALHOST:1", 200),
        ("127.0.0.1:8321", 200),
        ("[::1]:8321", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example:8321", 403),
        ("evil.example@localhost", 403),
        ("localhost/evil", 403),
        ("[::1", 403),
        ("", 403),
    ],
)
async def test_a_name_that_is_not_of_this_machine_is_refused(client, host, status):
    response = await client.get("/livez", headers={"host": host})
    assert response.status_code == status
    if status == 403:
        assert code_of(response) == "FORBIDDEN"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://127.0.0.1:8321", 200),
        ("http://127.0.0.1:8322", 403),
        ("https://127.0.0.1:8321", 403),
        ("http://localhost:8321", 403),
        ("http://evil.example", 403),
        ("null", 403),
        ("", 403),
        ("http://[", 403),
    ],
)
async def test_a_page_of_another_origin_is_refused(client, origin, status):
    headers = {} if origin is None else {"origin": origin}
    assert (await ask(client, "{ size }")).status_code == 200
    response = await client.post("/graphql", json={"query": "{ size }"}, headers=headers)
    assert response.status_code == status


async def test_with_keys_any_host_is_served_and_allowed_origins_too(world):
    app = toy_app(world, loopback_only=False, allowed_origins=("https://app.example",))
    async with client_of(app, host="memory.example") as client:
        for origin, status in (
            ("https://app.example", 200),
            ("http://memory.example:80", 200),
            ("http://app.example", 403),
        ):
            response = await client.get("/livez", headers={"origin": origin})
            assert response.status_code == status


async def test_every_answer_has_careful_headers_and_an_id(client):
    for path in ("/livez", "/graphql", "/nope"):
        headers = (await client.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"] == "default-src 'self'; frame-ancestors 'none'"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert len(headers["x-request-id"]) == 32
    taken = await client.get("/livez", headers={"x-request-id": "job-7_a.b"})
    assert taken.headers["x-request-id"] == "job-7_a.b"
    for bad in ("a b", "x" * 65, "a\tb", '"><script>', "é".encode()):
        replaced = await client.get("/livez", headers={"x-request-id": bad})
        assert len(replaced.headers["x-request-id"]) == 32


async def test_a_stream_keeps_its_own_cache_header(client):
    response = await ask(client, "subscription { count(to: 1) { n } }", EVENTS)
    assert response.headers["cache-control"] == "no-cache, no-transform"
    assert response.headers["content-type"].startswith(EVENTS)
    by_get = {"query": "subscription { count(to: 1) { n } }"}
    response = await client.get("/graphql", params=by_get, headers={"accept": EVENTS})
    assert response.text.count("event: next") == 1
    assert response.text.count("event: complete") == 1
    by_get = {"query": "mutation { setValue(value: 9) }"}
    response = await client.get("/graphql", params=by_get, headers={"accept": EVENTS})
    assert "mutations are not allowed" in response.text
    assert '"code":"BAD_USER_INPUT"' in response.text


@pytest.mark.parametrize("accept", ["application/json", RESPONSE, "*/*"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_subscription_is_not_answered_once(client, method: str, accept: str):
    query = {"query": "subscription { count(to: 1) { n } }"}
    sent = {"params": query} if method == "GET" else {"json": query}
    answer = await client.request(method, "/graphql", headers={"accept": accept}, **sent)
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["message"] == "Subscriptions are answered as text/event-stream or over a WebSocket"
    assert error["extensions"]["code"] == "BAD_USER_INPUT"


def over_network(host: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=f"http://{host}", timeout=10)


async def pieces(size: int, sent: list[int]) -> AsyncIterator[bytes]:
    """A body of unknown length, in pieces of 10,000 bytes."""
    for start in range(0, size, 10_000):
        sent.append(start)
        yield b" " * 10_000


@pytest.mark.parametrize("path", ["/graphql", "/nope"])
async def test_a_body_over_the_limit_gets_413_with_and_without_its_length(world, path):
    headers = {"content-type": "application/json"}
    async with serving(toy_app(world)) as host, over_network(host) as client:
        response = await client.post(path, content=b" " * 150_000, headers=headers)
        assert (response.status_code, code_of(response)) == (413, "PAYLOAD_TOO_LARGE")
        response = await client.post(path, content=pieces(150_000, []), headers=headers)
        if path == "/graphql":  # a page that is not there does not read the body
            assert (response.status_code, code_of(response)) == (413, "PAYLOAD_TOO_LARGE")
        fits = json.dumps({"query": "{ size }"}).encode().ljust(100_000)
        response = await client.post("/graphql", content=fits, headers=headers)
        assert response.json() == {"data": {"size": 3}}


async def test_a_body_that_never_ends_is_cut_off(world):
    sent: list[int] = []
    headers = {"content-type": "application/json"}
    async with serving(toy_app(world)) as host, over_network(host) as client:
        endless = pieces(10**9, sent)
        try:
            response = await client.post("/graphql", content=endless, headers=headers)
            assert response.status_code == 413
        except httpx.NetworkError:
            pass  # the connection was closed while we sent, as it should
    assert len(sent) < 2000


async def test_health_routes_tell_how_the_service_is(client, world):
    assert (await client.get("/livez")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).status_code == 200
    for value in (-1, 2000):
        world.value = value
        response = await client.get("/readyz")
        assert response.status_code == 503
        assert response.json() == {"status": "unavailable"}
        assert (await client.get("/livez")).status_code == 200
    assert (await client.get("/version")).json() == {"name": "graphmem", "version": "1.2.3"}
    assert "type Query" in (await client.get("/schema.graphql")).text
