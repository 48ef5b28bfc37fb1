"""A cursor tells a viewer nothing but its own events, and a revoked reader reads no further."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from graphmem.api.context import open_operation_for
from graphmem.domain.events import MAX_SEQ, Event
from graphmem.errors import GraphmemError, Unauthenticated
from graphmem.operations.authentication import KeyAuthenticator
from graphmem.services import events as service
from graphmem.services.actors import open_access
from graphmem.services.bus import EventBus
from graphmem.services.context import Access, Context
from graphmem.services.keys import create_key, revoke_key

EVENTS = "query E($after: Long) { events(after: $after, first: 500) { seq type subjectId } }"
NEWEST = """query N($after: Long, $before: Long) {
  events(newestFirst: true, after: $after, before: $before, first: 2) { seq } }"""
BETWEEN = "query B($after: Long, $before: Long) { events(after: $after, before: $before) { seq } }"
PROFILE = "mutation P($input: AgentInput!) { registerAgent(input: $input) { id } }"
VISIBILITY = """mutation V($id: ID!, $to: Visibility!) {
  setVisibility(id: $id, visibility: $to) { updatedCount } }"""
MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } } } }"""
PURGE = "mutation F($id: ID!) { forget(id: $id, permanent: true, confirm: true) { forgotten } }"

Reopen = Callable[[], Awaitable[Access]]


class BrokenGraph:
    """A graph that fails in a way that nobody expects."""

    async def read(self, query: str, /, **parameters: Any) -> list[dict[str, Any]]:
        raise RuntimeError(query)


@pytest.fixture
def reader(context: Context, api: Any) -> Callable[[str | None], Reopen]:
    """Opens the access of one of the user's agents, or of the user in person."""
    return lambda agent: lambda: open_access(context, api.user, agent, register=True)


async def taken(events: AsyncIterator[Event], count: int) -> list[Event]:
    async with asyncio.timeout(20):
        return [await anext(events) for _ in range(count)]


async def first_of(context: Context, reopen: Reopen, after: int, live: Any) -> list[Event]:
    """The first event of a subscription; `live` writes one that it may read."""
    events = service.follow(context, reopen, after=after)
    async with aclosing(events):
        begun = asyncio.ensure_future(anext(events))
        if live is not None:
            await live()
        return [await asyncio.wait_for(begun, 20)]


async def test_numbers_are_made_from_time_and_grow(api: Any) -> None:
    for i in range(3):
        await api.remember(f"Note {i}.")
    seqs = [event["seq"] for event in (await api(EVENTS))["events"]]
    assert seqs == sorted(set(seqs))
    assert 2**50 < seqs[0] < seqs[-1] < 2**53
    assert seqs[-1] - seqs[0] > 1000  # not 2, which would count


async def test_the_newest_come_first_in_pages_if_that_is_asked(api: Any) -> None:
    for i in range(5):
        await api.remember(f"Note {i}.")
    every = [event["seq"] for event in (await api(EVENTS))["events"]]
    found: list[int] = []
    before: int | None = None
    while page := (await api(NEWEST, before=before))["events"]:
        assert len(page) <= 2
        found += [event["seq"] for event in page]
        before = found[-1]
    assert found == every[::-1]
    between = {"after": every[0], "before": every[3]}
    assert [each["seq"] for each in (await api(NEWEST, **between))["events"]] == every[2:0:-1]
    only = await api(BETWEEN, **between)
    assert [each["seq"] for each in only["events"]] == every[1:3]
    for wrong in (-1, MAX_SEQ + 1):
        assert await api.code(NEWEST, before=wrong) == "BAD_USER_INPUT"


async def test_events_of_one_call_keep_their_order(api: Any) -> None:
    made = await api(MANY, notes=[{"content": f"Note {i}."} for i in range(40)])
    ids = [result["note"]["id"] for result in made["rememberMany"]["results"]]
    told = [each for each in (await api(EVENTS))["events"] if each["type"] == "CREATE"]
    assert [event["subjectId"] for event in told] == ids


@pytest.mark.parametrize("hidden", [0, 7])
async def test_a_cursor_beyond_the_own_events_gets_no_number_of_others(
    context: Context, api: Any, reader: Any, hidden: int
) -> None:
    """The answers to each cursor are those of a world without the hidden notes."""
    seen = await api.remember("Seen.", visibility="OPEN")
    for i in range(hidden):
        await api.remember(f"Hidden {i}.", visibility="USER_ONLY")
    agent = api.as_agent("worker")
    mine = [event["seq"] for event in (await agent(EVENTS))["events"]]
    everything = [event["seq"] for event in (await api(EVENTS))["events"]]
    assert len(mine) == 1
    assert len(everything) == 1 + hidden
    beyond = {mine[0] + 1, everything[-1] + 1, 2147483647 * 2**21, MAX_SEQ}
    for after in sorted(beyond | set(everything[1:])):
        assert (await agent(EVENTS, after=after))["events"] == []
        (event,) = await first_of(context, reader("worker"), after, None)
        assert (event.type, event.seq) == ("RESYNC", mine[0])
    (event,) = await first_of(context, reader("worker"), 2147483647, None)
    assert (event.type, event.seq) == ("RESYNC", mine[0])  # so old that it may be digested
    (event,) = await first_of(context, reader("worker"), 0, None)
    assert event.subject_id == seen["note"]["id"]

    async def live() -> None:
        await api.remember("Live.", visibility="OPEN")

    (event,) = await first_of(context, reader("worker"), mine[0], live)
    assert event.type == "CREATE"


@pytest.mark.parametrize("hidden", [0, 3])
async def test_who_has_no_event_gets_the_number_zero(
    context: Context, api: Any, reader: Any, hidden: int
) -> None:
    await api.remember("Not for agents.", visibility="USER_ONLY")
    for i in range(hidden):
        await api.remember(f"Hidden {i}.", visibility="USER_ONLY")
    (event,) = await first_of(context, reader("worker"), MAX_SEQ, None)
    assert (event.type, event.seq) == ("RESYNC", 0)


async def test_only_what_the_viewer_may_read_counts_as_a_gap(
    context: Context, api: Any, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_REPLAY", 3)
    for i in range(6):
        await api.remember(f"Hidden {i}.", visibility="USER_ONLY")
    shown = [await api.remember(f"Shown {i}.", visibility="OPEN") for i in range(3)]
    (event,) = await first_of(context, reader("worker"), 0, None)
    assert event.subject_id == shown[0]["note"]["id"]
    await api.remember("One more.", visibility="OPEN")
    newest = (await api(EVENTS))["events"][-1]["seq"]
    (event,) = await first_of(context, reader("worker"), 0, None)
    assert (event.type, event.seq) == ("RESYNC", newest)


@pytest.mark.parametrize("after", ["-1", str(2**53), "9" * 400, "1.5", '"5"', "true"])
async def test_an_impossible_cursor_is_the_callers_fault(api: Any, after: str) -> None:
    assert await api.code(f"{{ events(after: {after}) {{ seq }} }}") == "BAD_USER_INPUT"


@pytest.mark.parametrize("after", [-1, 2**53, 1.5, 1e300, "5", True, []])
async def test_an_impossible_cursor_in_a_variable_is_too(api: Any, after: Any) -> None:
    assert await api.code(EVENTS, after=after) == "BAD_USER_INPUT"


async def test_cursors_above_2_to_31_work_as_numbers_and_literals(api: Any) -> None:
    await api.remember("One.")
    (one,) = (await api(EVENTS))["events"]
    two = await api.remember("Two.")
    for query in (EVENTS, f"{{ events(after: {one['seq']}) {{ subjectId }} }}"):
        found = await api(query, **({"after": one["seq"]} if query == EVENTS else {}))
        assert [event["subjectId"] for event in found["events"]] == [two["note"]["id"]]
    assert len((await api(EVENTS, after=None))["events"]) == 2


# ------------------------------------------------------------------ revoked readers


async def test_a_narrowed_agent_reads_no_further_page_of_a_replay(
    context: Context, api: Any, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PAGE", 2)
    await api(PROFILE, input={"id": "worker", "domains": ["*"]})
    for i in range(6):
        await api.remember(f"Home {i}.", domain="home", visibility="SCOPED")
    work = await api.remember("Work.", domain="work", visibility="SCOPED")
    events = service.follow(context, reader("worker"), after=0)
    async with aclosing(events):
        assert all(event.domain == "home" for event in await taken(events, 2))
        await api(PROFILE, input={"id": "worker", "domains": ["work"]})
        assert [e.subject_id for e in await taken(events, 1)] == [work["note"]["id"]]


async def test_a_slow_reader_does_not_keep_the_rest_of_its_page(
    context: Context, api: Any, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "FRESH_S", 0.05)
    notes = [(await api.remember(f"Note {i}.", visibility="OPEN"))["note"]["id"] for i in range(4)]
    events = service.follow(context, reader("worker"), after=0)
    async with aclosing(events):
        assert [e.subject_id for e in await taken(events, 1)] == notes[:1]
        await api(VISIBILITY, id=notes[1], to="USER_ONLY")
        await api(PURGE, id=notes[2])
        await asyncio.sleep(0.1)
        assert [e.subject_id for e in await taken(events, 1)] == notes[3:]


@pytest.mark.parametrize("end", ["revoked", "expired"])
async def test_a_key_that_no_longer_holds_ends_the_replay_at_the_next_page(
    context: Context, api: Any, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(service, "PAGE", 2)
    for i in range(5):
        await api.remember(f"Note {i}.", visibility="OPEN")
    key, secret = await create_key(context.graph, context.clock, user=api.user, agent="worker")
    open_operation = open_operation_for(lambda: context, KeyAuthenticator())
    headers = [(b"authorization", f"Bearer {secret}".encode())]
    scope = {"type": "http", "method": "POST", "headers": headers}
    operation = await open_operation(HTTPConnection(scope), None)
    events = service.follow(context, operation.reopen, after=0)
    async with aclosing(events):
        assert len(await taken(events, 2)) == 2
        if end == "revoked":
            await revoke_key(context.graph, context.clock, key.id)
        else:
            monkeypatch.setattr("graphmem.services.keys._is_valid", lambda *_: False)
        with pytest.raises(Unauthenticated):
            await taken(events, 1)


async def test_a_subscriber_hears_on_while_the_bus_fails(
    context: Context, api: Any, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of another replica: nothing here signals that the stream has grown."""
    monkeypatch.setattr("graphmem.services.bus.LONGEST_PAUSE_S", 0.3)
    bus = EventBus(BrokenGraph())  # pyright: ignore[reportArgumentType]
    await bus.start()
    events = service.follow(replace(context, bus=bus), reader(None), after=0)
    async with aclosing(events):
        for i in range(3):
            made = await api.remember(f"Note {i}.")
            assert (await taken(events, 1))[0].subject_id == made["note"]["id"]
    await bus.close()


async def test_a_subscriber_is_told_when_it_can_read_no_more(
    context: Context, api: Any, reader: Any
) -> None:
    bus = EventBus(BrokenGraph())  # pyright: ignore[reportArgumentType]
    await bus.start()
    broken = replace(context, bus=bus)
    events = service.follow(broken, reader(None), after=0)
    async with aclosing(events):
        await api.remember("One.")
        await taken(events, 1)
        object.__setattr__(broken, "graph", BrokenGraph())
        with pytest.raises(RuntimeError):
            await taken(events, 1)
    await bus.close()


async def test_a_revoked_key_hears_nothing_live(context: Context, api: Any) -> None:
    key, secret = await create_key(context.graph, context.clock, user=api.user)
    open_operation = open_operation_for(lambda: context, KeyAuthenticator())
    scope = {
        "type": "http",
        "method": "POST",
        "headers": [(b"authorization", f"Bearer {secret}".encode())],
    }
    operation = await open_operation(HTTPConnection(scope), None)
    events = service.follow(context, operation.reopen, after=None)
    async with aclosing(events):
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0.3)
        await revoke_key(context.graph, context.clock, key.id)
        await api.remember("After the key.")
        with pytest.raises(GraphmemError):
            await asyncio.wait_for(waiting, 20)


# ------------------------------------------------------------------ many subscribers, slow ones


class CountingGraph:
    """A graph that counts what it is asked to read."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.reads: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.graph, name)

    async def read(self, query: Any, /, **parameters: Any) -> Any:
        self.reads[query] += 1
        return await self.graph.read(query, **parameters)

    async def read_list(self, query: Any, /, **parameters: Any) -> Any:
        self.reads[query] += 1
        return await self.graph.read_list(query, **parameters)


async def test_subscribers_of_one_viewer_share_their_reads(context: Context, api: Any) -> None:
    graph = CountingGraph(context.graph)
    counted = replace(context, graph=graph)  # pyright: ignore[reportArgumentType]
    reopen: Reopen = lambda: open_access(counted, api.user, "worker", register=True)  # noqa: E731
    await reopen()
    many = [service.follow(counted, reopen, after=0, who=("open", "worker")) for _ in range(40)]
    other = service.follow(counted, lambda: open_access(counted, api.user, None), after=0)
    waiting = [asyncio.ensure_future(anext(each)) for each in (*many, other)]
    hidden = await api.remember("For the user alone.", visibility="USER_ONLY")
    shown = await api.remember("For all.", visibility="OPEN")
    *heard, first = await asyncio.wait_for(asyncio.gather(*waiting), 20)
    assert {event.subject_id for event in heard} == {shown["note"]["id"]}
    assert first.subject_id == hidden["note"]["id"]
    graph.reads.clear()
    waiting = [asyncio.ensure_future(anext(each)) for each in many]
    live = await api.remember("Live.", visibility="OPEN")
    heard = await asyncio.wait_for(asyncio.gather(*waiting), 20)
    assert {event.subject_id for event in heard} == {live["note"]["id"]}
    assert 1 <= graph.reads["events/list"] <= 8  # not 40
    assert graph.reads["events/newest"] <= 8
    for each in (*many, other):
        await each.aclose()


async def test_a_subscriber_that_falls_too_far_behind_is_told_and_goes_on(
    context: Context, api: Any, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PAGE", 2)
    monkeypatch.setattr(service, "MAX_REPLAY", 3)
    first = await api.remember("Note.", visibility="OPEN")
    events = service.follow(context, reader("worker"), after=0)
    async with aclosing(events):
        assert [e.subject_id for e in await taken(events, 1)] == [first["note"]["id"]]
        for i in range(8):
            await api.remember(f"Missed {i}.", visibility="OPEN")
            await api.remember(f"Hidden {i}.", visibility="USER_ONLY")
        told = await taken(events, 3)
        assert [event.type for event in told] == ["CREATE", "CREATE", "RESYNC"]
        live = await api.remember("Live.", visibility="OPEN")
        assert [e.subject_id for e in await taken(events, 1)] == [live["note"]["id"]]


LINK = """mutation L($a: ID!, $b: ID!) {
  link(source: $a, target: $b, kind: "backs", reason: "r") { id } }"""
UNLINK = "mutation U($id: ID!) { unlink(id: $id) }"


@pytest.mark.parametrize("undone", [False, True])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SCOPED", "USER_ONLY"),
        ("OPEN", "USER_ONLY"),
        ("SCOPED", "PRIVATE"),
        ("USER_ONLY", "OPEN"),
        ("USER_ONLY", "SCOPED"),
        ("USER_ONLY", "USER_ONLY"),
    ],
)
async def test_a_link_is_no_event_for_who_may_not_read_both_ends_now_and_then(
    api: Any, before: str, after: str, undone: bool
) -> None:
    one, other = [
        (await api.remember(text, domain="business", visibility=visibility))["note"]["id"]
        for text, visibility in (
            ("The kiln is in Ulm.", "SCOPED"),
            ("A truck brings wood.", before),
        )
    ]
    await api(PROFILE, input={"id": "early", "domains": ["business"]})
    made = (await api(LINK, a=one, b=other))["link"]["id"]
    if undone:
        await api(UNLINK, id=made)
    links = 1 + undone
    readable = before != "USER_ONLY"
    assert await linked(api.as_agent("early")) == links * readable
    if after != before:
        await api(VISIBILITY, id=other, to=after)
    await api(PROFILE, input={"id": "late", "domains": ["business"]})
    for agent in ("early", "late"):
        assert await linked(api.as_agent(agent)) == 0
    assert await linked(api) == links


async def linked(api: Any) -> int:
    return sum(each["type"] == "LINK" for each in (await api(EVENTS, after=0))["events"])
