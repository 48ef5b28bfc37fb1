"""Numbers of events, and the bus that wakes subscribers."""

import ast
import asyncio
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog

from graphmem.domain.events import CHANNELS, ROOM, SPREAD, TYPES, draw_offsets
from graphmem.errors import Invalid, Misconfigured, Unavailable
from graphmem.operations.scalars import MAX_LONG, parse_long
from graphmem.services import bus as bus_module
from graphmem.services.bus import EventBus
from graphmem.store.events import event_row

ROOT = Path(__file__).parents[2]


def test_offsets_of_events_are_different_and_keep_the_order_within_an_audience() -> None:
    audiences = [f"a{i % 7}" for i in range(700)]
    found = draw_offsets(audiences)
    assert len(set(found)) == 700
    for audience in set(audiences):
        own = [at for at, of in zip(found, audiences, strict=True) if of == audience]
        assert own == sorted(own)
    assert max(draw_offsets(["a"] * 500)) < ROOM * 500
    assert draw_offsets([]) == []


MAKERS = {"event_row", "note_event", "Event", "_Event"}


def literals(kind: str) -> set[str]:
    """What the program's calls that make events, or change notes, name as `type` or `channel`."""
    found: set[str] = set()
    form = {"type": "[A-Z]+", "channel": "[a-z]+_[a-z]+"}[kind]
    for file in (ROOT / "graphmem").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            named = {"type": ("type", "kind", "event"), "channel": ("channel",)}[kind]
            values = [each.value for each in node.keywords if each.arg in named]
            values += node.args[:1] if kind == "type" and name in MAKERS else []
            if name in MAKERS or kind == "channel":
                found |= {
                    part.value
                    for value in values
                    for part in ast.walk(value)
                    if isinstance(part, ast.Constant)
                    and isinstance(part.value, str)
                    and re.fullmatch(form, part.value)
                }
    return found


def test_each_type_and_channel_that_is_written_can_be_subscribed_to() -> None:
    types, channels = literals("type"), literals("channel")
    assert types >= {"EDIT", "LINK", "VISIBILITY", "RESYNC"}
    assert types <= set(TYPES)
    assert channels <= set(CHANNELS)
    page = (ROOT / "docs" / "how-to" / "follow-changes.md").read_text("utf-8")
    assert [word for word in (*TYPES, *CHANNELS) if f"`{word}`" not in page] == []


@pytest.mark.parametrize("given", [{"kind": "RESTORE"}, {"channel": "changes"}])
def test_an_event_that_nobody_could_subscribe_to_is_not_made(given: dict[str, str]) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    row: dict[str, Any] = {"kind": "EDIT", "summary": "x", "audience": "a", "actor": "b", "at": now}
    assert event_row(**row).type == "EDIT"
    with pytest.raises(ValueError, match="no event"):
        event_row(**{**row, **given})


def test_offsets_do_not_tell_how_many_hidden_events_were_written_before() -> None:
    """The mean place of the last of two is the same with and without 200 hidden ones: where
    numbers were given in order, it would be beyond them."""
    rounds = 400
    alone = sum(draw_offsets(["seen"])[0] for _ in range(rounds)) / rounds
    among = sum(draw_offsets(["hidden"] * 200 + ["seen"])[-1] for _ in range(rounds)) / rounds
    assert abs(alone - SPREAD / 2) < SPREAD / 8  # eight standard deviations
    assert abs(among - SPREAD / 2) < SPREAD / 8


@pytest.mark.parametrize("value", [0, 5.0, 2**31, MAX_LONG, -1])
def test_a_long_is_a_whole_number_below_2_to_53(value: Any) -> None:
    assert parse_long(value) == value


@pytest.mark.parametrize("value", [2**53, -(2**53), 1e300, 1.5, float("nan"), "5", True, None, []])
def test_anything_else_is_no_long(value: Any) -> None:
    with pytest.raises(Invalid):
        parse_long(value)


class BrokenGraph:
    """A graph whose reads fail a number of times, then tell of growing streams."""

    def __init__(self, error: Exception, times: int) -> None:
        self.error, self.times, self.looks = error, times, 0

    async def read(self, query: str, /, **parameters: Any) -> list[dict[str, Any]]:
        self.looks += 1
        if self.looks <= self.times:
            raise self.error
        return [{"name": name, "seq": self.looks} for name in parameters["streams"]]


@pytest.fixture
async def open_bus(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setattr(bus_module, "POLL_S", 0.01)
    monkeypatch.setattr(bus_module, "LONGEST_PAUSE_S", 0.04)
    started: list[EventBus] = []

    async def start(graph: Any) -> EventBus:
        bus = EventBus(graph)
        await bus.start()
        started.append(bus)
        return bus

    yield start
    for bus in started:
        await bus.close()


@pytest.mark.parametrize("error", [RuntimeError("a note's text"), KeyError("x"), Misconfigured()])
async def test_an_error_of_the_bus_wakes_every_subscriber_and_the_bus_goes_on(
    open_bus: Any, error: Exception
) -> None:
    graph = BrokenGraph(error, times=3)
    with structlog.testing.capture_logs() as logs:
        bus = await open_bus(graph)
        waiters = [bus.watch("ada"), bus.watch("bo")]
        for waiter in waiters:
            await asyncio.wait_for(waiter.wait(), 60)
        assert graph.looks <= 3  # woken by the failure, not by an event
        while graph.looks < 4:  # noqa: ASYNC110  (it tells nobody)
            await asyncio.sleep(0.01)
        for waiter in waiters:
            waiter.clear()
            await asyncio.wait_for(waiter.wait(), 60)
    failures = [entry for entry in logs if entry["log_level"] in ("error", "warning")]
    assert len(failures) == 3
    assert "a note's text" not in str(logs)


async def test_while_the_database_is_away_subscribers_wait_for_it(open_bus: Any) -> None:
    graph = BrokenGraph(Unavailable(), times=3)
    bus = await open_bus(graph)
    waiter = bus.watch("ada")
    await asyncio.wait_for(waiter.wait(), 60)
    assert graph.looks == 4
