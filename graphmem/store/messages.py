"""The lookup that message commands make in the graph."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from graphmem.store.graph import Graph
from graphmem.store.notes import LIVE_STATUSES


async def find_tagged(
    graph: Graph, tags: Sequence[str], audiences: Sequence[str], *, now: datetime, limit: int
) -> list[str]:
    """Return ids of the readable notes with one of the tags, newest first. The tags are in lower
    case, their words joined by hyphens."""
    if not tags:
        return []
    rows = await graph.read_list(
        "messages/find_tagged",
        tags=list(tags),
        audiences=list(audiences),
        statuses=list(LIVE_STATUSES),
        now=now,
        limit=limit,
    )
    return cast("list[str]", rows)
