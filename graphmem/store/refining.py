"""Notes that wait for an LLM, the changes of its refinement in the graph, and its usage."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.notes import Note
from graphmem.store.graph import Graph, Step


@dataclass(frozen=True)
class Known:
    """The statements of a note so far: the name keys of what it introduces and of what else was
    found in it, and its relations as (subject key, predicate, object key)."""

    introduced: frozenset[str]
    found: frozenset[str]
    relations: frozenset[tuple[str, str, str]]


async def find_pending(
    graph: Graph, now: datetime, limit: int, *, after: str = ""
) -> list[tuple[str, str]]:
    """Return notes that wait for an LLM and that no worker has taken, as (id, user): those of the
    first user after `after` who has some, oldest first, then those of the next."""
    rows = await graph.read("refining/pending", now=now, after=after, limit=limit)
    return [(row["id"], row["user"]) for row in rows]


async def claim(
    graph: Graph, note_id: str, *, now: datetime, until: datetime, most: int
) -> str | None:
    """Take a pending note until a time, at most `most` times; return the stored task, None if
    another worker has it or it no longer waits."""
    row = await graph.write_one("refining/claim", id=note_id, now=now, until=until, most=most)
    return row["task"] if row else None


async def release(graph: Graph, ids: Sequence[str], now: datetime) -> None:
    """Put notes that were taken and not finished back into the queue."""
    await graph.write(Step("refining/release", {"ids": sorted(ids), "now": now}))


def end_step(note_id: str) -> Step:
    """End a note's refinement."""
    return Step("refining/end", {"id": note_id})


async def read_known(graph: Graph, note: Note) -> Known:
    """Return the statements of a note about entities; empty if it has other readers by now."""
    row = await graph.read_one("refining/known", id=note.id, audience=note.audience.key) or {}
    names = row.get("names", ())
    return Known(
        frozenset(key for name in names if name["given"] for key in name["keys"]),
        frozenset(key for name in names if not name["given"] for key in name["keys"]),
        frozenset(
            (subject, relation["predicate"], target)
            for relation in row.get("relations", ())
            for subject in relation["subject"]
            for target in relation["object"]
        ),
    )


def spend_step(
    note_id: str, *, model: str, calls: int, tokens_in: int, tokens_out: int, cost: float
) -> Step:
    """Add to the recorded usage of an LLM for a note."""
    return Step(
        "refining/spend",
        {
            "id": note_id,
            "model": model,
            "calls": calls,
            "tokensIn": tokens_in,
            "tokensOut": tokens_out,
            "cost": cost,
        },
    )
