"""One machine, or a service that asks for keys behind a reverse proxy: the API is the same."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest
from clients import REMEMBER
from gql import Client as GqlClient
from gql import gql
from gql.transport.websockets import WebsocketsTransport
from reverse_proxy import reverse_proxy
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.services.keys import create_key
from graphmem.settings import Settings

ORIGIN = "https://memory.example.org"
RECALL = "query R($q: String!) { recall(input: {query: $q}) { hits { note { id content } } } }"
EVENTS = 'subscription { events(after: 0, types: ["CREATE"]) { type subjectId } }'
WAIT_S = 60.0


@dataclass(frozen=True)
class Place:
    """Where the API is, and what a caller sends with each request."""

    address: str
    headers: dict[str, str]


@asynccontextmanager
async def placed(context: Context, user: str, where: str) -> AsyncIterator[Place]:
    """The service on this machine, or behind a proxy that ends TLS."""
    keys = where == "behind a proxy"
    settings = Settings(auth="keys" if keys else "open", embedder="hash")
    async with serving(create_app(settings, opened=context)) as service:
        if not keys:
            yield Place(service, {"X-Graphmem-User": user})
            return
        _, secret = await create_key(context.graph, context.clock, user=user)
        async with reverse_proxy(service) as address:
            yield Place(address, {"Authorization": f"Bearer {secret}"})


@pytest.mark.feature("DAEM-42")
@pytest.mark.parametrize("where", ["on one machine", "behind a proxy"])
async def test_the_api_is_the_same_wherever_it_is(
    context: Context, new_user: Callable[[], str], where: str
) -> None:
    async with (
        placed(context, new_user(), where) as place,
        httpx.AsyncClient(
            base_url=f"http://{place.address}", headers=place.headers, timeout=WAIT_S
        ) as http,
    ):

        async def ask(query: str, **variables: object) -> dict:
            body = {"query": query, "variables": variables}
            return (await http.post("/graphql", json=body)).json()["data"]

        note = (await ask(REMEMBER, input={"content": "The kiln is cold."}))["remember"]["note"]
        hits = (await ask(RECALL, q="Is the kiln cold?"))["recall"]["hits"]
        assert [hit["note"]["id"] for hit in hits] == [note["id"]]
        by_rest = await http.get(f"/v1/notes/{note['id']}")
        assert (by_rest.status_code, by_rest.json()["content"]) == (200, "The kiln is cold.")
        assert await first_event(place) == {"type": "CREATE", "subjectId": note["id"]}
        async with asyncio.timeout(WAIT_S):
            assert await first_line(http, "/v1/events/stream?after=0")


async def first_event(place: Place) -> dict:
    """The first event of a subscription."""
    url = f"ws://{place.address}/graphql"
    transport = WebsocketsTransport(url=url, headers=place.headers)
    async with asyncio.timeout(WAIT_S), GqlClient(transport=transport) as session:
        async for data in session.subscribe(gql(EVENTS)):
            return data["events"]
    raise AssertionError("no event")


async def first_line(http: httpx.AsyncClient, path: str) -> str:
    """The first line with anything of a stream that goes on."""
    async with http.stream("GET", path) as stream:
        assert stream.status_code == 200
        async for line in stream.aiter_lines():
            if line:
                return line
    return ""


@pytest.mark.feature("DAEM-42")
async def test_behind_a_proxy_a_page_of_its_own_name_may_ask_and_no_other(
    context: Context, new_user: Callable[[], str]
) -> None:
    async with (
        placed(context, new_user(), "behind a proxy") as place,
        httpx.AsyncClient(base_url=f"http://{place.address}", timeout=WAIT_S) as http,
    ):
        own = {"Host": "memory.example.org", "Origin": ORIGIN}

        async def status(**changed: str) -> int:
            headers = place.headers | own | changed
            asked = await http.post("/graphql", json={"query": "{ __typename }"}, headers=headers)
            return asked.status_code

        assert await status() == 200
        assert await status(Origin="https://other.example.org") == 403
        assert await status(Origin="http://memory.example.org") == 403
        assert await status(Authorization="Bearer gm_none") == 401
