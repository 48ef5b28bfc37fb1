"""The log of recalls in the graph."""

from collections.abc import Sequence

from graphmem.store.graph import Graph, Row, Step


def log_step(users: Sequence[Row]) -> Step:
    """Keep recalls; a row holds a user's."""
    return Step("recall/log", {"users": list(users)})


async def logged(graph: Graph, ids: Sequence[str]) -> frozenset[str]:
    """Return which of the recalls are kept already."""
    rows = await graph.read("recall/logged", ids=list(ids))
    return frozenset(rows[0]["ids"])
