"""What is destroyed while a query reads it comes as nulls: it is left out, and nothing else."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from neo4j.time import DateTime

from graphmem.domain.notes import BEGINNING
from graphmem.services.reading.notes import cursor, parse_cursor
from graphmem.store import consolidation, events, recall, reflection
from graphmem.store.graph import Graph

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AT = DateTime.from_native(NOW)


class Pages:
    """A graph that answers with these pages of rows in turn, and keeps what it was asked for."""

    def __init__(self, *pages: list[Any]) -> None:
        self.pages, self.asked = list(pages), list[dict[str, Any]]()

    async def read_list(self, query: str, **given: Any) -> list[Any]:
        self.asked.append(given)
        return self.pages.pop(0)


def summary(note: str) -> list[Any]:
    counted = [5, 6, None, 0, 0.5, False, False, None, None, False, False, False]
    return [note, 1, "a", "SEMANTIC", "TOLD", [], [], "general", *counted]


Reader = Callable[[Graph], Any]
PAGED: dict[str, tuple[Callable[[str], list[Any]], Reader, Callable[[Any], str]]] = {
    "summaries": (
        summary,
        lambda graph: reflection.list_summaries(graph, ["a"], NOW, page=2, most=9),
        lambda row: row.id,
    ),
    "collected": (
        lambda note: [note, 5, 6, [0.5]],
        lambda graph: consolidation.list_new_episodes(
            graph, "a", "job", since=BEGINNING, now=NOW, page=2, most=9
        ),
        lambda row: row.id,
    ),
    "active": (
        lambda note: [note, 5, [4], 1],
        lambda graph: consolidation.active_notes(graph, "a", now=NOW, page=2, most=9),
        lambda row: row.id,
    ),
}


@pytest.mark.parametrize("name", PAGED)
@pytest.mark.parametrize("place", [0, 1])
async def test_a_page_goes_on_behind_a_note_that_is_destroyed(name: str, place: int) -> None:
    row_of, read, told = PAGED[name]
    gone = [None] * len(row_of("x"))
    first = [row_of("d")]
    first.insert(place, gone)
    graph = Pages(first, [row_of("c"), row_of("b")], [row_of("a")])
    found = [told(row) async for page in read(cast(Graph, graph)) for row in page]
    assert found == ["d", "c", "b", "a"]
    assert [given["beforeId"] for given in graph.asked[1:]] == ["d", "b"]


@pytest.mark.parametrize("name", PAGED)
async def test_a_page_of_destroyed_notes_ends_the_reading(name: str) -> None:
    row_of, read, _ = PAGED[name]
    graph = Pages([[None] * len(row_of("x"))] * 2)
    assert [row async for page in read(cast(Graph, graph)) for row in page] == []


def event(i: str | None) -> dict[str, Any]:
    names = ("seq", "at", "type", "channel", "actor", "subjectId", "domain", "summary", "data")
    values = (1, 1_774_000_000_000, "CREATE", "memory_update", "me", "n", None, "s", "{}")
    given = zip(names, values if i else [None] * len(names), strict=True)
    return {"id": i, "note": None, **dict(given)}


async def test_a_page_of_events_is_read_again_where_one_is_destroyed() -> None:
    graph = Pages([event("e"), event(None), event("f")], [event("e"), event("f"), event("g")])
    found = await events.list_events(cast(Graph, graph), "me", ["a"], limit=3)
    assert [each.id for each in found] == ["e", "f", "g"]
    assert graph.asked[0] == graph.asked[1]
    graph = Pages([event(None)], [event("e"), event(None)])
    found = await events.list_events(cast(Graph, graph), "me", ["a"], limit=3)
    assert [each.id for each in found] == ["e"]


def candidate(i: str | None, around: Sequence[Any] = ()) -> list[Any]:
    kept = ["text", 0.5, b"", None, 9] if i else [None, 0.5, None, None, None]
    return [i, None, None, None, *kept, list(around), []]


def test_a_candidate_or_neighbour_that_is_destroyed_is_left_out() -> None:
    near = [["m", True, 9, b""], [None, False, None, None]]
    rows = [candidate("b", near), candidate(None), candidate("a")]
    found = recall._sort_candidates(rows)
    assert [each.id for each in found] == ["a", "b"]
    assert [each.id for each in found[1].around] == ["m"]


@pytest.mark.parametrize(
    "at",
    [
        "0001-01-02T00:00:00.001",
        "1901-06-06T01:03:22.866",
        "1969-12-31T23:59:59.999",
        "2026-11-26T03:04:05.678",
        "2039-03-08T19:46:13.410",
        "9999-12-29T23:59:59.999",
    ],
)
def test_a_cursor_is_exact_to_the_millisecond(at: str) -> None:
    instant = datetime.fromisoformat(f"{at}+00:00")
    assert parse_cursor(cursor(instant, "n")) == (instant, "n")
