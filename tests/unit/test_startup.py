"""Waiting for the graph at the start."""

from typing import Any

import pytest

from graphmem.errors import GraphmemError, TimedOut, Unavailable
from graphmem.services import startup
from graphmem.services.startup import await_graph
from graphmem.store import meta


@pytest.mark.parametrize("error", [Unavailable("away"), TimedOut("busy")])
async def test_a_graph_that_is_away_or_too_busy_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, error: GraphmemError
) -> None:
    async def read_health(graph: Any) -> None:
        asked.append(graph)
        if len(asked) < 3:
            raise error

    asked: list[Any] = []
    monkeypatch.setattr(startup, "AGAIN_S", 0)
    monkeypatch.setattr(meta, "read_health", read_health)
    graph: Any = object()
    await await_graph(graph, 60)
    assert asked == [graph] * 3
    asked.clear()
    with pytest.raises(type(error)):
        await await_graph(graph, -1)
    assert asked == [graph]
