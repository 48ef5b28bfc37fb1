"""The history of notes in the graph: what changed since an instant."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.store.graph import Graph, Step


async def changed_since(
    graph: Graph, user: str, audiences: Sequence[str], at: datetime, *, now: datetime, limit: int
) -> list[str]:
    """Return the ids of a user's readable notes that have changed since, at most `limit`."""
    rows = await graph.read(
        "history/changed", user=user, audiences=list(audiences), at=at, now=now, limit=limit
    )
    return rows[0]["ids"]


def reopen_step(ended: Mapping[str, datetime]) -> Step:
    """Make the statements of these notes, which ended at these instants, valid again."""
    rows = [{"id": note, "ended": round(at.timestamp() * 1000)} for note, at in ended.items()]
    return Step("history/reopen", {"rows": rows})
