"""The passages of long notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.store.graph import Graph, Row, Step
from graphmem.store.vectors import to_vector


@dataclass(frozen=True, kw_only=True)
class PassageRow:
    """A passage: its place in the content in characters, its vector and the index of its words."""

    start: int
    end: int
    embedding: Sequence[float]
    words: bytes


def put_step(passages: Mapping[str, Sequence[PassageRow]]) -> Step:
    """Replace the passages of notes, given by id. This step comes after the one that writes the
    notes."""
    rows = [{"id": note, "passages": passage_rows(each)} for note, each in sorted(passages.items())]
    return Step("passages/put", {"rows": rows})


def passage_rows(passages: Sequence[PassageRow]) -> list[Row]:
    """Return the passages of a note as rows of queries."""
    return [
        {
            "from": each.start,
            "to": each.end,
            "words": each.words,
            "vector": to_vector(each.embedding),
        }
        for each in passages
    ]


@dataclass(frozen=True, kw_only=True)
class NearPassages:
    """The passages of a note that are nearest to a vector, nearest first, at most 5, each as
    cosine, index of its words, begin and end; and the version of the note that they belong to."""

    version: int
    parts: Sequence[tuple[float, bytes, int, int]]


async def near_passages(
    graph: Graph,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    vector: Sequence[float],
) -> dict[str, NearPassages]:
    """Return the passages of each readable long note that are nearest to the vector."""
    rows = await graph.read_list(
        "passages/near",
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        vector=to_vector(vector),
    )
    return {
        note: NearPassages(version=version, parts=[(s, w, b, e) for s, w, b, e in parts])
        for note, version, parts in rows
    }
