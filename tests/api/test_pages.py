"""Everything that a page of another site can make a browser send is refused, on every route."""

import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import websockets
from starlette.routing import Route
from toy_service import World, serving, toy_app

from graphmem.api.pages import IMPERSONAL
from graphmem.app import create_app
from graphmem.domain.fields import fields_of
from graphmem.errors import Forbidden
from graphmem.rest.endpoints import ENDPOINTS
from graphmem.services.context import Context
from graphmem.services.keys import create_key
from graphmem.settings import Settings
from graphmem.store.actors import put_user_step

HERE = "http://127.0.0.1:8321"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36"
ELSEWHERE = {  # origin of a page: what a browser says of it
    "https://evil.example": "cross-site",
    "http://localhost:8321": "cross-site",
    "http://127.0.0.1:9999": "same-site",
    "https://127.0.0.1:8321": "cross-site",
    "null": "cross-site",  # a sandboxed frame, a file, a data URL
}
# What a page can do: method, mode, destination, whether the browser names the origin, the rest.
WAYS: dict[str, tuple[str, str, str, bool, dict[str, str]]] = {
    "image": ("GET", "no-cors", "image", False, {"accept": "image/*,*/*;q=0.8"}),
    "script": ("GET", "no-cors", "script", False, {"accept": "*/*"}),
    "style": ("GET", "no-cors", "style", False, {"accept": "text/css,*/*;q=0.1"}),
    "video": ("GET", "no-cors", "video", False, {"accept": "*/*", "range": "bytes=0-"}),
    "object": ("GET", "navigate", "object", False, {"accept": "text/html,*/*;q=0.8"}),
    "prefetch": ("GET", "no-cors", "empty", False, {"sec-purpose": "prefetch"}),
    "frame": ("GET", "navigate", "iframe", False, {"accept": "text/html,*/*;q=0.8"}),
    "link": ("GET", "navigate", "document", False, {"accept": "text/html", "sec-fetch-user": "?1"}),
    "fetch typed": (
        "GET",
        "no-cors",
        "empty",
        False,
        {"accept": "*/*", "content-type": "text/plain; application/json"},
    ),
    "fetch no-cors": ("GET", "no-cors", "empty", False, {"accept": "application/json"}),
    "head no-cors": ("HEAD", "no-cors", "empty", False, {}),
    "module": ("GET", "cors", "script", True, {}),
    "font": ("GET", "cors", "font", True, {}),
    "fetch": ("GET", "cors", "empty", True, {"accept": "application/json"}),
    "event source": ("GET", "cors", "empty", True, {"accept": "text/event-stream"}),
    "form": (
        "POST",
        "navigate",
        "document",
        True,
        {"content-type": "application/x-www-form-urlencoded"},
    ),
    "upload": (
        "POST",
        "navigate",
        "iframe",
        True,
        {"content-type": "multipart/form-data; boundary=x"},
    ),
    "text form": ("POST", "navigate", "document", True, {"content-type": "text/plain"}),
    "beacon": ("POST", "no-cors", "empty", True, {"content-type": "text/plain;charset=UTF-8"}),
    "ping": ("POST", "no-cors", "empty", True, {"content-type": "text/ping"}),
    "post": ("POST", "cors", "empty", True, {"content-type": "application/json"}),
    "put": ("PUT", "cors", "empty", True, {"content-type": "application/json"}),
    "delete": ("DELETE", "cors", "empty", True, {}),
    "preflight": (
        "OPTIONS",
        "cors",
        "empty",
        True,
        {
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type,x-graphmem-user,x-graphmem-client",
            "access-control-request-private-network": "true",
        },
    ),
}
ROUTES = sorted({route.path for route in toy_app(World()).routes if isinstance(route, Route)})
OPERATIONS = {
    "query": '{ recall(input: {query: "secret"}) { hits { note { content } } } }',
    "mutation": 'mutation { remember(input: {content: "planted"}) { operation } }',
    "subscription": "subscription { events(after: 0) { seq } }",
}


def sent_by(way: str, origin: str, *, old: bool = False) -> tuple[str, dict[str, str]]:
    """Method and headers as a browser sends them; an old one tells less."""
    method, mode, destination, names, headers = WAYS[way]
    headers = {"user-agent": BROWSER, **headers}
    if names:
        headers["origin"] = origin
    if not old:
        headers |= {
            "sec-fetch-site": ELSEWHERE[origin],
            "sec-fetch-mode": mode,
            "sec-fetch-dest": destination,
        }
    return method, headers


async def attack(
    client: httpx.AsyncClient, path: str, query: str, method: str, headers: dict[str, str]
) -> httpx.Response:
    body = json.dumps({"query": query}) if method in ("POST", "PUT") else None
    parameters = None if body else {"query": query}
    return await client.request(method, path, params=parameters, content=body, headers=headers)


def is_refused(response: httpx.Response) -> bool:
    told = response.json() if response.content else None
    assert not [name for name in response.headers if name.startswith("access-control-")]
    assert response.headers["cross-origin-resource-policy"] == "same-origin"
    return response.status_code == 403 and (
        told is None
        or told.get("code") == "FORBIDDEN"
        or told["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    )


def client_of(app: Any, base: str = HERE) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", [*ROUTES, "/nope"])
@pytest.mark.parametrize("loopback_only", [True, False], ids=["open", "keys"])
async def test_no_page_of_another_site_reaches_a_route(
    way: str, path: str, loopback_only: bool
) -> None:
    world = World()
    async with client_of(toy_app(world, loopback_only=loopback_only)) as client:
        for origin, query in itertools.product(
            ELSEWHERE, ["{ size }", "mutation { setValue(value: 9) }"]
        ):
            method, headers = sent_by(way, origin)
            response = await attack(client, path, query, method, headers)
            assert is_refused(response), (origin, response.status_code)
    assert (world.value, world.opened) == (0, [])  # nothing was done, nobody was even looked up


@pytest.mark.parametrize("way", WAYS)
async def test_an_old_browser_reaches_nothing_of_a_user_where_no_key_is_asked_for(way: str) -> None:
    world = World()
    async with client_of(toy_app(world)) as client:
        for origin, path in itertools.product(ELSEWHERE, ROUTES):
            method, headers = sent_by(way, origin, old=True)
            response = await attack(client, path, "{ size }", method, headers)
            assert is_refused(response) or path in IMPERSONAL
    assert world.opened == []


@pytest.mark.parametrize("way", WAYS)
async def test_a_name_that_is_bound_to_this_machine_anew_reaches_nothing(way: str) -> None:
    """For the browser such a page is same-origin, so its own headers say nothing."""
    world = World()
    async with client_of(toy_app(world), "http://evil.example:8321") as client:
        for path in ROUTES:
            method, headers = sent_by(way, "null")
            headers |= {"sec-fetch-site": "same-origin"}
            headers |= {"origin": "http://evil.example:8321"} if "origin" in headers else {}
            assert is_refused(await attack(client, path, "{ size }", method, headers))
    assert world.opened == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_no_page_of_another_site_opens_a_socket(headers: dict[str, str]) -> None:
    world = World()
    async with serving(toy_app(world)) as host:
        protocol = websockets.Subprotocol("graphql-transport-ws")
        with pytest.raises(websockets.InvalidStatus) as refused:
            await websockets.connect(
                f"ws://{host}/graphql", subprotocols=[protocol], additional_headers=headers
            )
    assert refused.value.response.status_code == 403
    assert world.opened == []


@pytest.mark.parametrize(
    ("headers", "method"),
    [
        ({}, "GET"),
        ({"user-agent": "curl/8.5.0", "accept": "*/*"}, "GET"),
        ({"user-agent": BROWSER, "sec-fetch-site": "same-origin"}, "GET"),
        ({"user-agent": BROWSER, "sec-fetch-site": "same-origin", "origin": HERE}, "POST"),
        ({"user-agent": BROWSER, "sec-fetch-site": "none", "sec-fetch-mode": "navigate"}, "GET"),
        ({"user-agent": BROWSER, "origin": HERE}, "POST"),
        ({"user-agent": "Mozilla/5.0 (Windows NT 10.0) PowerShell/7.4"}, "POST"),
        ({"user-agent": "Mozilla/5.0 (Windows NT 10.0)", "x-graphmem-user": "ada"}, "GET"),
        ({"user-agent": "python-httpx/0.28", "x-graphmem-user": "ada"}, "POST"),
    ],
)
async def test_programs_own_pages_and_typed_addresses_are_answered(
    headers: dict[str, str], method: str
) -> None:
    headers = headers | ({"content-type": "application/json"} if method == "POST" else {})
    async with client_of(toy_app(World())) as client:
        response = await attack(client, "/graphql", "{ size }", method, headers)
        assert response.json() == {"data": {"size": 3}}
        assert (await client.get("/livez", headers={"user-agent": BROWSER})).status_code == 200


@pytest.mark.parametrize("site", ["none", "cross-site", "same-site", "same-origin, none", "", "x"])
async def test_a_post_must_come_from_an_own_page_or_from_no_browser(site: str) -> None:
    async with client_of(toy_app(World())) as client:
        headers = {"sec-fetch-site": site, "content-type": "application/json"}
        assert is_refused(await attack(client, "/graphql", "{ size }", "POST", headers))


async def test_an_allowed_origin_may_ask_and_a_request_of_it_that_names_none_may_not() -> None:
    app = toy_app(World(), loopback_only=False, allowed_origins=("https://app.example",))
    async with client_of(app, "https://memory.example") as client:
        headers = {"origin": "https://app.example", "sec-fetch-site": "cross-site"}
        kind = {"content-type": "application/json"}
        response = await attack(client, "/graphql", "{ size }", "POST", headers | kind)
        assert response.json() == {"data": {"size": 3}}
        del headers["origin"]
        assert is_refused(await attack(client, "/graphql", "{ size }", "GET", headers))


# ------------------------------------------------------------------ the real service


@pytest.fixture
async def own(context: Context, settings: Settings, new_user: Any) -> AsyncIterator[Any]:
    """The service with a default user of its own, who is unknown so far."""
    user = new_user()
    settings = settings.model_copy(update={"default_user": user})
    async with client_of(create_app(settings, opened=context)) as client:
        yield client, user


async def traces(context: Context, user: str) -> list[Any]:
    """Everything in the graph that is of a user."""
    await context.log.flush()
    async with context.graph._session(read=True) as session:
        result = await session.run(
            """MATCH (n) WHERE n.id = $user OR n.user = $user OR n.stream = $user OR n.name = $user
               RETURN [label IN labels(n) WHERE label <> 'System'][0] AS label,
               properties(n) AS properties ORDER BY label""",
            user=user,
        )
        return [(row["label"], str(row["properties"])) async for row in result]


async def test_no_page_changes_or_reads_the_real_memory(own: Any, context: Context) -> None:
    client, user = own
    for way, origin, query in itertools.product(WAYS, ELSEWHERE, OPERATIONS.values()):
        method, headers = sent_by(way, origin)
        assert is_refused(await attack(client, "/graphql", query, method, headers))
    assert await traces(context, user) == []


async def test_no_page_reaches_a_resource_of_rest(own: Any, context: Context) -> None:
    client, user = own
    for way, endpoint in itertools.product(WAYS, ENDPOINTS):
        for origin in ("https://evil.example", "http://127.0.0.1:9999"):
            method, headers = sent_by(way, origin)
            assert is_refused(await attack(client, endpoint.path, "secret", method, headers))
        method, headers = sent_by(way, "null", old=True)
        assert is_refused(await attack(client, endpoint.path, "secret", method, headers))
    assert await traces(context, user) == []


async def test_no_get_of_rest_leaves_a_trace(own: Any, context: Context) -> None:
    client, user = own
    asked = {"query": "x", "task": "x", "from": "x", "to": "y", "domain": "x", "agentId": "probe"}
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and not endpoint.path.endswith("/stream"):
            names = {field.wire for field in fields_of(endpoint.command)}
            given = {name: value for name, value in asked.items() if name in names}
            answer = await client.get(endpoint.path, params=given)
            assert answer.status_code in (200, 400, 404), (endpoint.path, answer.text)
    assert await traces(context, user) == []


READS = """{ viewer { user { id } agent { id } } notes { totalCount } stats { totalNotes }
  recall(input: {query: "What opens the blue gate?", track: true}) { hits { note { content } } }
  context(input: {task: "Open the blue gate"}) { hits { note { content } } }
  events { type } agents { id } entities { name } coreMemory { __typename }
  skills { __typename } conflicts { __typename } reflections { __typename } }"""


async def test_a_get_leaves_no_trace(own: Any, context: Context) -> None:
    client, user = own
    told = (await client.get("/graphql", params={"query": READS})).json()
    assert "errors" not in told, told
    assert await traces(context, user) == []
    body = {
        "query": 'mutation { remember(input: {content: "The blue gate opens with 4711."}) {'
        " reason } }"
    }
    assert "errors" not in (await client.post("/graphql", json=body)).json()
    before = await traces(context, user)
    for headers in ({}, {"x-graphmem-agent": "nobody-yet"}):
        told = (await client.get("/graphql", params={"query": READS}, headers=headers)).json()
        assert "errors" not in told, told
        assert "4711" in str(told["data"]["recall"])
    assert await traces(context, user) == before
    await client.post("/graphql", json={"query": READS})
    assert {label for label, _ in await traces(context, user)} >= {"Recall"}


RECALLS = {  # path: its query
    "/recall": {"query": "blue gate", "agentId": "bot"},
    "/v1/recall": {"query": "blue gate"},
    "/v1/context": {"task": "blue gate"},
    "/graphql": {"query": '{ recall(input: {query: "blue gate"}) { id hits { score } } }'},
}
KEY = "authorization"  # with a key
MAY_COUNT = [  # headers of a GET, and whether its recall is a use
    ({}, False),
    ({"x-graphmem-client": "daily"}, True),
    ({"x-graphmem-client": " "}, False),
    ({"x-graphmem-client": "daily", "sec-fetch-site": "same-origin"}, True),
    ({"x-graphmem-client": "daily", "sec-fetch-site": "none"}, False),
    ({"x-graphmem-agent": "bot"}, False),
    ({KEY: "Basic bWU6bWU="}, False),
    ({KEY: "key"}, True),
    ({KEY: "key", "sec-fetch-site": "none"}, False),
]


async def counted(context: Context, user: str) -> int:
    """The recalls that were logged, and the uses that were counted."""
    await context.log.flush()
    async with context.graph._session(read=True) as session:
        result = await session.run(
            """MATCH (u:User {id: $user}) OPTIONAL MATCH (n:Note {user: $user})
               WITH u, sum(n.accessCount) AS uses
               RETURN coalesce(u.recalls, 0) + uses AS counted""",
            user=user,
        )
        row = await result.single()
        return row["counted"] if row else 0


@pytest.mark.feature("TIER-15", "L3-T15")
@pytest.mark.parametrize("path", RECALLS)
async def test_a_get_counts_as_use_where_no_page_of_another_site_can_have_sent_it(
    own: Any, context: Context, path: str
) -> None:
    client, user = own
    told = {"agentId": "bot", "text": "The blue gate opens with 4711."}
    assert (await client.post("/remember", json=told)).status_code == 200
    _, key = await create_key(context.graph, context.clock, user=user, agent="bot")
    for headers, counts in MAY_COUNT:
        before, notes = await counted(context, user), await traces(context, user)
        sent = headers | ({KEY: f"Bearer {key}"} if headers.get(KEY) == "key" else {})
        # In the open mode, the user in person reads what an agent wrote.
        answer = await client.get(path, params=RECALLS[path], headers=sent)
        assert answer.status_code == 200, answer.text
        assert "errors" not in answer.json(), answer.text
        assert (await counted(context, user) > before) is counts, headers
        if not counts:
            assert await traces(context, user) == notes
        after = await counted(context, user)
        assert (await client.head(path, params=RECALLS[path], headers=sent)).status_code < 500
        assert await counted(context, user) == after


@pytest.mark.feature("TIER-15")
async def test_who_recalls_by_get_is_not_registered(own: Any, context: Context) -> None:
    client, user = own
    for path, given in RECALLS.items():
        answer = await client.get(path, params=given, headers={"x-graphmem-client": "daily"})
        assert answer.status_code == 200, answer.text
    assert await traces(context, user) == []


@pytest.mark.feature("TIER-15")
@pytest.mark.parametrize("path", RECALLS)
async def test_no_origin_is_granted_the_header_that_makes_a_get_count(
    context: Context, settings: Settings, new_user: Any, path: str
) -> None:
    user, friend = new_user(), "https://app.example"
    settings = settings.model_copy(
        update={"auth": "keys", "default_user": user, "allowed_origins": (friend,)}
    )
    _, key = await create_key(context.graph, context.clock, user=user, agent="bot")
    names = {"authorization": f"Bearer {key}", "x-graphmem-client": "page"}
    asked = {"access-control-request-method": "GET"}
    asked |= {"access-control-request-headers": ",".join(names)}
    async with client_of(create_app(settings, opened=context), "https://memory.example") as client:
        before = await counted(context, user)
        for origin, site in {**ELSEWHERE, friend: "cross-site"}.items():
            page = {"origin": origin, "sec-fetch-site": site, "sec-fetch-mode": "cors"}
            for headers in (page | asked, page | asked | names):
                told = await client.options(path, headers=headers)
                assert not [name for name in told.headers if name.startswith("access-control-")]
            told = await client.get(path, params=RECALLS[path], headers=page | names)
            assert not [name for name in told.headers if name.startswith("access-control-")]
            assert (told.status_code == 200) is (origin == friend)
        assert await counted(context, user) == before


async def test_a_write_in_a_request_that_leaves_no_trace_is_refused(context: Context) -> None:
    for used in (False, True):
        silent = context.without_traces(used=used)
        for writing in (silent.graph.write, silent.graph.rehearse):
            with pytest.raises(Forbidden):
                await writing(put_user_step("nobody", None, context.clock()))
