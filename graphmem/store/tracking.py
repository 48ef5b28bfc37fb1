"""The log of recalls in the graph."""

from collections.abc import Sequence

from graphmem.store.graph import Graph, Row, Step


def log_step(users: Sequence[Row]) -> Step:
    """Store recalls; a row holds those of one user."""
    return Step("recall/log", {"users": list(users)})


async def list_logged(graph: Graph, ids: Sequence[str]) -> frozenset[str]:
    """Return those of the recalls that are already stored."""
    rows = await graph.read("recall/logged", ids=list(ids))
    return frozenset(rows[0]["ids"])
