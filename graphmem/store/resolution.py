"""Merges of entities, and the evidence for more of them, in the graph."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.store.graph import Graph, Step
from graphmem.store.notes import LIVE_STATUSES

_ONE = "="  # between two ids of entities, which have none


def merge_step(
    pair: tuple[str, str],
    merge: str,
    *,
    audiences: Sequence[str] | None,
    user: str,
    actor: str,
    score: float,
    now: datetime,
) -> Step:
    """Make the second entity of a pair a part of the first; `audiences` are those that its maker
    may read, None for everything of the user."""
    parameters = {
        "keep": pair[0],
        "merge": pair[1],
        "id": merge,
        "audiences": None if audiences is None else list(audiences),
        "user": user,
        "actor": actor,
        "score": score,
        "now": now,
    }
    return Step("resolution/merge", parameters, required=True)


def part_step(merge: str, *, by: str, score: float, user: str, actor: str, now: datetime) -> Step:
    """Undo a merge; `by` and `score` are those of the note that says so."""
    parameters = {
        "id": merge,
        "by": by,
        "score": score,
        "user": user,
        "actor": actor,
        "now": now,
    }
    if (whole := whole_of_form(merge)) is not None:
        pair = {"whole": whole, "part": merge.partition(_ONE)[2]}
        return Step("resolution/part_form", {**parameters, **pair}, required=True)
    return Step("resolution/part", parameters, required=True)


def whole_of_form(merge: str) -> str | None:
    """Return the first of two entities whose names share one form, by the id of that tie; None for
    any other id."""
    whole, one, _ = merge.partition(_ONE)
    return whole if one else None


async def find_merge(graph: Graph, user: str, merge: str) -> str | None:
    """Return the id of the entity that a merge kept."""
    row = await graph.read_one("resolution/find", user=user, id=merge)
    return row["id"] if row else None


async def likely_pairs(
    graph: Graph, user: str, audiences: Sequence[str], now: datetime, limit: int
) -> list[tuple[str, str]]:
    """Return pairs of ids of entities whose names have something in common."""
    rows = await graph.read(
        "resolution/likely",
        user=user,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        limit=limit,
    )
    return [(row["one"], row["other"]) for row in rows]


async def load_neighbours(
    graph: Graph, user: str, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, frozenset[str]]:
    """Return the neighbours of each entity: those that readable notes relate to it or introduce
    with it."""
    rows = await graph.read(
        "resolution/around",
        user=user,
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
    )
    return {row["id"]: frozenset(row["around"]) for row in rows}
