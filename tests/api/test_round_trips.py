"""How often a write or a recall waits for the database, one answer after the other."""

import asyncio
from typing import Any

import pytest

from graphmem.services.context import Context
from graphmem.services.recall import reranking
from graphmem.store import graph as graph_module
from graphmem.store import recall as store
from graphmem.store.graph import Graph
from graphmem.store.queries import Bound

REMEMBER = (
    "mutation R($i: RememberInput!) { remember(input: $i) { note { id entities { name } } } }"
)
RECALL = """query Q($i: RecallInput!) { recall(input: $i) { hits { note { id content }
  via { label } } } }"""
WRITE = "mutation R($i: RememberInput!) { remember(input: $i) { note { id } operation } }"
ANSWERS_S = 0.2  # that each read takes at least, so that what does not wait for it is seen


class RoundTrips:
    """Counts queries that are sent one after the other: those under way at once count once."""

    def __init__(self) -> None:
        """Nothing was sent yet."""
        self.sent: list[list[str]] = []
        self.answers_s = ANSWERS_S
        self._under_way = 0

    def begin(self, query: str) -> None:
        """A query is sent."""
        if self._under_way == 0:
            self.sent.append([])
        self._under_way += 1
        self.sent[-1].append(query)

    def end(self) -> None:
        """Its answer is there."""
        self._under_way -= 1


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> RoundTrips:
    """Those of this process from now on."""
    counted = RoundTrips()
    read_once, rows_of = Graph._read_once, graph_module._rows

    async def read(self: Graph, bound: Bound) -> Any:
        counted.begin((bound.query.metadata or {})["query"])
        try:
            await asyncio.sleep(counted.answers_s)
            return await read_once(self, bound)
        finally:
            counted.end()

    async def step(tx: Any, bound: Bound) -> Any:
        counted.begin((bound.query.metadata or {})["query"])
        try:
            return await rows_of(tx, bound)
        finally:
            counted.end()

    monkeypatch.setattr(Graph, "_read_once", read)
    monkeypatch.setattr(graph_module, "_rows", step)
    return counted


@pytest.mark.parametrize("episode", [None, "2026-11-23"])
async def test_a_note_with_a_new_name_takes_six_round_trips(
    api: Any, trips: RoundTrips, episode: str | None
) -> None:
    await api.remember("The kiln of Quexil is warm.")  # the user is registered
    trips.sent.clear()
    given = {"content": "Zorvath is in Lisbon.", "entities": [{"name": "Zorvath"}]}
    made = await api(WRITE, i=given | {"episode": episode})
    assert made["remember"]["operation"] == "ADD"
    assert len(trips.sent) <= 6, trips.sent
    guards = [["backups/pass_gate"], ["meta/embedding"]]  # of a backup, and of another model
    assert [sent for sent in trips.sent if sent in guards] == guards
    assert trips.sent[0] == ["viewer/open"]  # once
    assert sum(queries.count("viewer/open") for queries in trips.sent) == 1


async def test_a_recall_takes_one_round_trip_beside_its_searches_and_its_walk(
    api: Any, trips: RoundTrips
) -> None:
    for text in ("Zorvath is in Lisbon.", "Lisbon has a kiln.", "The kiln of Quexil is warm."):
        await api.remember(text)
    trips.sent.clear()
    hits = await api.recall("Where is Zorvath?")
    assert hits[0]["note"]["content"] == "Zorvath is in Lisbon."
    walk = ["recall/neighbourhood"]
    assert [sent for sent in trips.sent if sent != walk] == [
        ["viewer/open"],
        ["recall/candidates"],
        ["notes/load"],
    ]
    assert 1 <= trips.sent.count(walk) <= 2  # hops


async def test_a_new_name_is_found_in_older_notes_and_read_back(api: Any) -> None:
    older = (await api.remember("Nobody saw Zorvath today."))["note"]["id"]
    given = {"content": "A plumber lives there.", "entities": [{"name": "Zorvath"}]}
    made = await api(REMEMBER, i=given)
    assert {"name": "Zorvath"} in made["remember"]["note"]["entities"]
    read = await api("query N($id: ID!) { note(id: $id) { entities { name } } }", id=older)
    assert {"name": "Zorvath"} in read["note"]["entities"]


async def test_a_recall_takes_at_most_six_round_trips(
    api: Any, context: Context, trips: RoundTrips, monkeypatch: pytest.MonkeyPatch
) -> None:
    thing = {"name": "Zorvath", "aliases": ["Zor of Quexil"]}
    await api.remember("Zorvath is in Lisbon.", entities=[thing])
    await api.remember("The kiln of Zorvath is warm.", title="Kiln")
    await api.remember("Nobody fires the Kiln in May.")
    encode = context.embedder.embed_query

    async def encoded(text: str) -> Any:
        trips.begin("encoding")
        await asyncio.sleep(trips.answers_s)
        trips.end()
        return await encode(text)

    monkeypatch.setattr(context.embedder, "embed_query", encoded)
    trips.answers_s = 0.05
    trips.sent.clear()
    found = await api(RECALL, i={"query": "Where is Zor of Quexil?", "track": False})
    assert len(found["recall"]["hits"]) == 3
    opened, encoded_alone, found_first, ties, *rest = trips.sent
    assert (opened, encoded_alone) == (["viewer/open"], ["encoding"])
    assert (found_first, ties) == (["recall/candidates"], ["entities/ties"])
    assert len(rest) <= 3, trips.sent  # two hops, the hits with what only the walk reached
    assert rest[-1] == ["notes/load"]


async def test_a_hit_that_was_not_foreseen_is_read_after_all(
    api: Any, trips: RoundTrips, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "VECTOR_LIMIT", 2)  # the others are found by the graph alone
    monkeypatch.setattr(store, "KEYWORD_LIMIT", 2)
    thing = {"name": "Zorvath"}
    for place in ("Lisbon", "Porto", "Riga", "Turin", "Oslo", "Lyon"):
        await api.remember(f"Zorvath once had a kiln in {place}.", entities=[thing])
    trips.sent.clear()
    foreseen = await api.recall("Where was the kiln of Zorvath?")
    assert sum(sent.count("notes/load") for sent in trips.sent) == 1
    assert len(foreseen) == 6
    monkeypatch.setattr(reranking, "SPARE", -10)  # nothing is foreseen
    trips.sent.clear()
    assert await api.recall("Where was the kiln of Zorvath?") == foreseen
    assert sum(sent.count("notes/load") for sent in trips.sent) == 2
