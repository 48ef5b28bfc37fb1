"""Statistics of what a viewer can read."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.activation import activation, activation_range
from graphmem.domain.drafts import check_instant
from graphmem.domain.notes import Note, Status
from graphmem.domain.stats import Stats
from graphmem.services.context import Access, Context
from graphmem.services.reading.history import every_note_as_of
from graphmem.services.reading.identity import groups_for
from graphmem.store.notes import LIVE_STATUSES

BYTES = 4  # of a number of a vector
MAX_TIED = 5_000  # names that may belong to one entity with others; each of the rest counts as one


async def stats(context: Context, access: Access) -> Stats:
    """Return the viewer's statistics."""
    audiences, now = list(access.by_name), context.clock()
    rows, ranges, graph = await asyncio.gather(
        context.graph.read(
            "stats/notes",
            audiences=audiences,
            now=now,
            vectorBytes=BYTES * context.embedder.dimension,  # a look at each would read them all
        ),
        context.graph.read(
            "stats/activation", audiences=audiences, now=now, d=context.ranking.act_r.d
        ),
        context.graph.read_one(
            "stats/graph",
            audiences=audiences,
            now=now,
            statuses=list(LIVE_STATUSES),
            most=MAX_TIED,
        ),
    )
    counts = {name: Counter[str]() for name in ("domain", "visibility", "status", "tier")}
    for row in rows:
        for name, counter in counts.items():
            counter[row[name]] += row["notes"]
    return Stats(
        total_notes=sum(row["notes"] for row in rows),
        by_domain=_sort_counts(counts["domain"]),
        by_visibility=_sort_counts(counts["visibility"]),
        by_status=_sort_counts(counts["status"]),
        by_tier=_sort_counts(counts["tier"]),
        by_activation=_sort_counts({row["range"]: row["notes"] for row in ranges}),
        storage_bytes=sum(row["bytes"] for row in rows),
        entities=graph["entities"] + await _count_tied(context, access, graph["tied"])
        if graph
        else 0,
        links=graph["links"] if graph else 0,
    )


async def stats_as_of(context: Context, access: Access, as_of: datetime | None) -> Stats:
    """Return the viewer's statistics of an instant: of the notes that the viewer could read then.

    Status and text are of then; domain, visibility and tier are as of now.
    """
    at = check_instant(as_of, "asOf")
    if at is None:
        return await stats(context, access)
    notes = await every_note_as_of(context, access, at, tuple(Status))
    graph = await context.graph.read_one(
        "stats/graph_then",
        ids=[note.id for note in notes],
        audiences=list(access.by_name),
        at=at,
        most=MAX_TIED,
    )
    size = BYTES * context.embedder.dimension
    return Stats(
        total_notes=len(notes),
        by_domain=_sort_counts(Counter(note.domain for note in notes)),
        by_visibility=_sort_counts(Counter(note.visibility for note in notes)),
        by_status=_sort_counts(Counter(note.status for note in notes)),
        by_tier=_sort_counts(Counter(note.tier for note in notes)),
        by_activation=_sort_counts(Counter(_activation_range(context, note, at) for note in notes)),
        storage_bytes=sum(len(note.content) + size for note in notes),
        entities=graph["entities"] + await _count_tied(context, access, graph["tied"])
        if graph
        else 0,
        links=graph["links"] if graph else 0,
    )


def _activation_range(context: Context, note: Note, at: datetime) -> str:
    """Return the range of a note's activation at an instant, by the uses that are stored."""
    uses = [use for use in note.accesses if use <= at]
    count = note.access_count - len(note.accesses) + len(uses)
    return activation_range(activation(note.created_at, uses, count, at, context.ranking.act_r.d))


async def count_audiences(context: Context, access: Access) -> int:
    """Count the audiences that have notes which the viewer may read."""
    row = await context.graph.read_one(
        "stats/audiences", audiences=list(access.by_name), now=context.clock()
    )
    return row["audiences"] if row else 0


async def _count_tied(context: Context, access: Access, ids: Sequence[str]) -> int:
    """Count the entities of names that may belong to one entity with others."""
    groups = await groups_for(context, access, ids)
    return len({groups.stands_for(each) for each in ids})


def _sort_counts(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))
