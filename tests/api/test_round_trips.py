"""How often a write waits for the database, one answer after the other."""

from typing import Any

import pytest

from graphmem.services.context import Context
from graphmem.store.graph import Graph

REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { note { id } operation } }"


class RoundTrips:
    """Counts queries that were sent one after the other: those under way at once count once."""

    def __init__(self) -> None:
        """Nothing was sent yet."""
        self.names: list[list[str]] = []
        self.under_way = 0

    def begin(self, name: str) -> None:
        """A query is sent."""
        if self.under_way == 0:
            self.names.append([])
        self.under_way += 1
        self.names[-1].append(name)

    def end(self) -> None:
        """Its answer is there."""
        self.under_way -= 1


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> RoundTrips:
    """Every query of this process from now on."""
    counted = RoundTrips()
    from graphmem.store import graph as module

    read_once, rows = Graph._read_once, module._rows

    async def read(self: Graph, bound: Any, parameters: Any) -> Any:
        counted.begin(bound.metadata["query"])
        try:
            return await read_once(self, bound, parameters)
        finally:
            counted.end()

    async def step(tx: Any, text: Any, parameters: Any) -> Any:
        counted.begin(text.split("\n")[1])
        try:
            return await rows(tx, text, parameters)
        finally:
            counted.end()

    monkeypatch.setattr(Graph, "_read_once", read)
    monkeypatch.setattr(module, "_rows", step)
    return counted


async def test_remember_with_a_new_name(api: Any, context: Context, trips: RoundTrips) -> None:
    await api.remember("The kiln of Quexil is warm.", entities=[{"name": "Quexil"}])
    for given in (
        {"content": "Zorvath repairs the northern kiln.", "entities": [{"name": "Zorvath"}]},
        {
            "content": "Zorvath2 repairs the northern kiln.",
            "entities": [{"name": "Zorvath2"}],
            "episode": "x",
        },
        {"content": "Nobody was there."},
    ):
        trips.names.clear()
        print(await api(REMEMBER, i=given))
        for each in trips.names:
            print("   ", each)
