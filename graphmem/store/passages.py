"""The passages of long notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.store.graph import Graph, Step
from graphmem.store.vectors import to_vector


@dataclass(frozen=True, kw_only=True)
class PassageRow:
    """A passage: its place in the content in characters, its vector and the index of its words."""

    start: int
    end: int
    embedding: Sequence[float]
    words: bytes


def put_step(passages: Mapping[str, Sequence[PassageRow]]) -> Step:
    """Gives notes, by id, the passages of their texts in place of those that they had. It comes
    after what writes the notes."""
    rows = [
        {
            "id": note,
            "passages": [
                {
                    "from": each.start,
                    "to": each.end,
                    "words": each.words,
                    "embedding": to_vector(each.embedding),
                }
                for each in rows
            ],
        }
        for note, rows in sorted(passages.items())
    ]
    return Step("passages/put", {"rows": rows})


async def best_passages(
    graph: Graph,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    vector: Sequence[float],
) -> dict[str, tuple[int, int, int]]:
    """The passage of each readable long note that is nearest to the vector: the version of the
    note, and the begin and end of the passage."""
    rows = await graph.read_list(
        "passages/best",
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        vector=to_vector(vector),
    )
    return {note: (version, begin, end) for note, version, begin, end in rows}
