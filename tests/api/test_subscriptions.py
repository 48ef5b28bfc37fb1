"""Events as subscribers get them: over WebSocket and SSE, on this replica and on another."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
from gql import Client as GqlClient
from gql import gql
from gql.transport.websockets import WebsocketsTransport
from strawberry.http.streaming import SSETransport
from toy_service import serving

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, create_app
from graphmem.rest import streams
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.settings import Settings

SUBSCRIBE = """subscription E($after: Long, $channels: [String!], $types: [String!],
$domain: String) { events(after: $after, channels: $channels, types: $types, domain: $domain)
  { seq type channel subjectId domain summary } }"""
VISIBILITY = """mutation V($id: ID!, $to: Visibility!) {
  setVisibility(id: $id, visibility: $to) { updatedCount } }"""
PROFILE = """mutation P($input: AgentInput!) { registerAgent(input: $input) { id domains } }"""
SEEN_S = 60.0  # speed is measured elsewhere; a query that is planned first may take seconds


@pytest.fixture(scope="module")
async def place(settings: Settings, context: Context) -> AsyncIterator[str]:
    """The service on a port."""
    async with serving(create_app(settings, opened=context)) as at:
        yield at


@pytest.fixture(scope="module")
async def other(settings: Settings, neo4j_address: ServerAddress) -> AsyncIterator[str]:
    """Another replica, with parts of its own, on the same graph."""
    embedder = create_embedder("hash")
    async with (
        connect_context(settings, embedder, neo4j_address) as opened,
        serving(create_app(settings, opened=opened)) as at,
    ):
        yield at
    await embedder.close()


class Subscriber:
    """A running subscription; its events arrive in a queue with the time of their arrival."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[tuple[float, dict[str, Any]]] = asyncio.Queue()

    async def next(self, seconds: float = SEEN_S) -> dict[str, Any]:
        return (await asyncio.wait_for(self.queue.get(), seconds))[1]

    async def nothing(self, seconds: float = 0.6) -> bool:
        await asyncio.sleep(seconds)
        return self.queue.empty()


async def newest(place: str, user: str, agent: str | None = None) -> int:
    """The number of the newest event that the user, or the agent, may read."""
    async with httpx.AsyncClient(base_url=f"http://{place}", timeout=SEEN_S) as client:
        answer = await client.post(
            "/graphql",
            json={"query": "{ events(first: 500) { seq } }"},
            headers={"x-graphmem-user": user, "x-graphmem-agent": agent or ""},
        )
    return max((event["seq"] for event in answer.json()["data"]["events"]), default=0)


@asynccontextmanager
async def subscribed(
    place: str, user: str, agent: str | None = None, **variables: Any
) -> AsyncIterator[Subscriber]:
    """Subscribe over graphql-transport-ws; who asks comes as connection parameters.

    Nothing tells when a subscription has begun, so unless a number is given it is the newest one
    of now: what happens while it begins is then replayed and not missed."""
    if "after" not in variables:
        variables["after"] = await newest(place, user, agent)
    who = {"X-Graphmem-User": user} | ({"X-Graphmem-Agent": agent} if agent else {})
    transport = WebsocketsTransport(
        url=f"ws://{place}/graphql",
        init_payload=who,
        subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL],
    )
    subscriber = Subscriber()
    async with GqlClient(transport=transport) as session:

        async def collect() -> None:
            request = gql(SUBSCRIBE)
            request.variable_values = variables
            async for data in session.subscribe(request):
                subscriber.queue.put_nowait((time.perf_counter(), data["events"]))

        task = asyncio.create_task(collect())
        await asyncio.sleep(0.2)
        try:
            yield subscriber
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_what_came_after_a_number_is_replayed_and_then_goes_on_live(
    api: Any, place: str
) -> None:
    made = [(await api.remember("Note 0."))["note"]["id"]]
    first = await newest(place, api.user)
    made += [(await api.remember(f"Note {i}."))["note"]["id"] for i in (1, 2)]
    async with subscribed(place, api.user, after=first) as subscriber:
        seen = [await subscriber.next() for _ in range(2)]
        made.append((await api.remember("Live."))["note"]["id"])
        seen.append(await subscriber.next())
        assert await subscriber.nothing()
    assert [event["subjectId"] for event in seen] == made[1:]
    seqs = [event["seq"] for event in seen]
    assert seqs == sorted({first, *seqs})[1:]


async def test_without_a_number_only_what_is_new_comes(api: Any, place: str) -> None:
    await api.remember("Old.")
    old = (await api.remember("Old too."))["note"]["id"]
    made = []
    async with subscribed(place, api.user, after=None) as subscriber:
        while subscriber.queue.empty() and len(made) < 50:
            made.append((await api.remember(f"New {len(made)}."))["note"]["id"])
            await asyncio.sleep(0.1)
        seen = (await subscriber.next())["subjectId"]
    assert seen in made
    assert seen != old


async def latencies(writer: Any, subscriber: Subscriber, count: int = 10) -> list[float]:
    """Milliseconds from the answer of a write to the arrival of its event."""
    found = []
    for i in range(count):
        await writer.remember(f"Note {i} of the race.")
        told = time.perf_counter()
        arrived, _ = await asyncio.wait_for(subscriber.queue.get(), SEEN_S)
        found.append(1000 * (arrived - told))
    return sorted(found)


async def test_an_event_is_seen_at_once(api: Any, place: str, record_property: Any) -> None:
    async with subscribed(place, api.user) as subscriber:
        found = await latencies(api, subscriber)
    record_property("milliseconds", found)
    print("same replica, ms:", [round(ms, 1) for ms in found])


async def test_another_replicas_event_is_seen_soon(
    api: Any, other: str, record_property: Any
) -> None:
    async with subscribed(other, api.user) as subscriber:
        found = await latencies(api, subscriber)
    record_property("milliseconds", found)
    print("other replica, ms:", [round(ms, 1) for ms in found])


async def test_server_sent_events_carry_the_same(api: Any, place: str) -> None:
    made = live = await api.remember("Before.")
    headers = {"accept": "text/event-stream", "x-graphmem-user": api.user}
    body = {"query": SUBSCRIBE, "variables": {"after": 0}}
    events: list[dict[str, Any]] = []
    async with (
        asyncio.timeout(SEEN_S),
        httpx.AsyncClient(base_url=f"http://{place}", timeout=SEEN_S) as client,
        client.stream("POST", "/graphql", json=body, headers=headers) as response,
    ):
        assert response.headers["content-type"].startswith("text/event-stream")
        async for line in response.aiter_lines():
            if line.startswith("data:") and line.removeprefix("data:").strip():
                events.append(json.loads(line.removeprefix("data:"))["data"]["events"])
                if len(events) == 2:
                    break
                live = await api.remember("After.")
    assert [e["subjectId"] for e in events] == [made["note"]["id"], live["note"]["id"]]


async def test_an_agent_never_hears_of_what_it_may_not_read(api: Any, place: str) -> None:
    await api(PROFILE, input={"id": "narrow", "domains": ["work"]})
    async with AsyncExitStack() as stack:
        live = await stack.enter_async_context(subscribed(place, api.user, "narrow"))
        for visibility in ("PRIVATE", "USER_ONLY"):
            await api.remember(f"{visibility} note", visibility=visibility, domain="work")
        await api.remember("Other domain", domain="home", visibility="SCOPED")
        told = await api.remember("For all", domain="home", visibility="OPEN")
        replay = await stack.enter_async_context(subscribed(place, api.user, "narrow", after=0))
        for subscriber in (live, replay):
            assert (await subscriber.next())["subjectId"] == told["note"]["id"]
            assert await subscriber.nothing()
        person = await stack.enter_async_context(subscribed(place, api.user, after=0))
        assert [(await person.next())["type"] for _ in range(5)] == ["EDIT", *["CREATE"] * 4]


@pytest.mark.feature("MUMA-80")
async def test_a_sibling_hears_what_is_in_its_scope_and_its_next_recall_has_it(
    api: Any, place: str
) -> None:
    await api(PROFILE, input={"id": "coding", "domains": ["business/coding"]})
    sales = api.as_agent("sales")
    async with subscribed(place, api.user, "coding") as subscriber:
        given = {"domain": "business/sales", "visibility": "SCOPED"}
        await sales.remember("The copper kiln is sold for Halden.", **given)
        told = await sales.remember(
            "The copper kiln runs on Python.", domain="business/coding", visibility="SCOPED"
        )
        event = await subscriber.next()
        assert (event["type"], event["subjectId"]) == ("CREATE", told["note"]["id"])
        hits = await api.as_agent("coding").recall("What is known about the copper kiln?")
        assert [hit["note"]["id"] for hit in hits] == [event["subjectId"]]
        assert await subscriber.nothing()


@pytest.mark.feature("MUMA-81")
async def test_an_orchestrator_hears_what_is_open_and_scoped_in_all_domains(
    api: Any, place: str
) -> None:
    await api(PROFILE, input={"id": "lead", "role": "ORCHESTRATOR"})
    sales = api.as_agent("sales")
    async with subscribed(place, api.user, "lead") as subscriber:
        for closed in ("PRIVATE", "USER_ONLY"):
            await api.remember(f"{closed} words", visibility=closed, domain="business/sales")
        written = [
            await sales.remember(f"{shown} in {domain}", visibility=shown, domain=domain)
            for shown, domain in (("OPEN", "home"), ("SCOPED", "business/coding"))
        ]
        for made in written:
            assert (await subscriber.next())["subjectId"] == made["note"]["id"]
        assert await subscriber.nothing()


async def test_a_stranger_hears_nothing(api: Any, place: str, new_user: Any) -> None:
    async with subscribed(place, new_user(), after=0) as subscriber:
        await api.remember("Not for others.", visibility="OPEN")
        assert await subscriber.nothing()


async def test_filters_of_channel_type_and_domain(api: Any, place: str) -> None:
    at_work = (await api.remember("At work.", domain="work/kiln"))["note"]["id"]
    at_home = (await api.remember("At home.", domain="home"))["note"]["id"]
    await api(PROFILE, input={"id": "main"})
    await api("mutation P($id: ID!) { pin(id: $id) { id } }", id=at_home)

    async def seen(count: int, **given: Any) -> list[tuple[str, str | None]]:
        async with subscribed(place, api.user, after=0, **given) as subscriber:
            events = [await subscriber.next() for _ in range(count)]
            assert await subscriber.nothing(0.3)
            return [(event["type"], event["subjectId"]) for event in events]

    assert await seen(1, channels=["state_change"]) == [("EDIT", "main")]
    assert await seen(1, types=["PIN"]) == [("PIN", at_home)]
    assert await seen(1, domain="work") == [("CREATE", at_work)]
    assert await seen(2, domain="home") == [("CREATE", at_home), ("PIN", at_home)]
    assert await seen(1, domain="home", types=["PIN", "LINK"]) == [("PIN", at_home)]


async def test_a_gap_that_cannot_be_replayed_is_told_once(api: Any, place: str) -> None:
    await api.remember("One.")
    seq = await newest(place, api.user)
    async with subscribed(place, api.user, after=2**53 - 1) as subscriber:
        event = await subscriber.next()
        assert (event["type"], event["seq"]) == ("RESYNC", seq)
        live = await api.remember("Two.")
        assert (await subscriber.next())["subjectId"] == live["note"]["id"]
        assert await subscriber.nothing(0.3)


async def test_a_narrowed_profile_narrows_a_running_subscription(api: Any, place: str) -> None:
    await api(PROFILE, input={"id": "narrow", "domains": ["*"]})
    async with subscribed(place, api.user, "narrow") as subscriber:
        first = await api.remember("Before.", domain="home", visibility="SCOPED")
        assert (await subscriber.next())["subjectId"] == first["note"]["id"]
        await api(PROFILE, input={"id": "narrow", "domains": ["work"]})
        await api.remember("After.", domain="home", visibility="SCOPED")
        told = await api.remember("Work.", domain="work", visibility="SCOPED")
        assert (await subscriber.next())["subjectId"] == told["note"]["id"]
        assert await subscriber.nothing()


async def test_a_change_of_visibility_hides_and_shows_old_events(api: Any, place: str) -> None:
    await api.remember("Kept.", visibility="OPEN")
    closed = (await api.remember("Closed.", visibility="OPEN"))["note"]["id"]
    opened = (await api.remember("Opened.", visibility="PRIVATE"))["note"]["id"]
    await api(VISIBILITY, id=closed, to="PRIVATE")
    await api(VISIBILITY, id=opened, to="OPEN")
    async with subscribed(place, api.user, "worker", after=0) as subscriber:
        seen = [(await subscriber.next())["type"] for _ in range(2)]
        assert await subscriber.nothing(0.3)
    assert seen == ["CREATE", "VISIBILITY"]  # what a note was before it was opened stays closed


@pytest.mark.parametrize(
    "given",
    [
        {"after": -1},
        {"domain": "../x"},
        {"types": ["EDIT"] * 51},
        {"channels": ["state_change"] * 51},
        {"types": ["EDIT", "edit"]},
        {"types": ["memory_update"]},
        {"channels": ["memory_updates"]},
        {"channels": [""]},
    ],
)
async def test_bad_arguments_end_the_subscription_with_a_code(
    api: Any, place: str, given: dict[str, Any]
) -> None:
    headers = {"accept": "text/event-stream", "x-graphmem-user": api.user}
    body = {"query": SUBSCRIBE, "variables": given}
    async with httpx.AsyncClient(base_url=f"http://{place}", timeout=SEEN_S) as client:
        text = (await client.post("/graphql", json=body, headers=headers)).text
    assert '"code":"BAD_USER_INPUT"' in text.replace(" ", "")


@pytest.mark.parametrize("path", ["/graphql", "/v1/events/stream"])
async def test_an_idle_stream_gives_signs_of_life(
    api: Any, place: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no proxy between takes it for dead; a WebSocket has the pings of its protocol."""
    often = property(lambda _: 0.05, lambda *_: None)  # also of what the service has made already
    monkeypatch.setattr(SSETransport, "heartbeat_interval", often)
    monkeypatch.setattr(streams, "BEAT_S", 0.05)
    headers = {"accept": "text/event-stream", "x-graphmem-user": api.user}
    body = {"json": {"query": SUBSCRIBE}} if path == "/graphql" else {}
    method = "POST" if body else "GET"
    async with (
        httpx.AsyncClient(base_url=f"http://{place}", timeout=SEEN_S) as client,
        client.stream(method, path, headers=headers, **body) as response,
    ):
        beats = [line async for line in first(2, response.aiter_lines())]
    assert len(beats) == 2


async def first(count: int, lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """The first comments of a stream."""
    async for line in lines:
        if line.startswith(":"):
            yield line
            count -= 1
            if not count:
                return
