"""Merges of entities, and what speaks for more of them, in the graph."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.entities import EntityMerge
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES


def merge_step(rows: Sequence[Row], *, user: str, now: datetime, required: bool = False) -> Step:
    """Makes entities one. A row holds ids, the first one staying, or keys of names; mergeIds, one
    for each entity that goes; audience, if only what that audience alone introduces may be merged;
    by and score."""
    parameters = {"rows": list(rows), "user": user, "now": now}
    return Step("resolution/merge", parameters, required=required)


def part_step(merge: str, *, user: str, actor: str, now: datetime) -> Step:
    """Undoes a merge."""
    parameters = {"id": merge, "user": user, "actor": actor, "now": now}
    return Step("resolution/part", parameters, required=True)


async def find_merge(graph: Graph, user: str, merge: str) -> str | None:
    """The id of the entity that holds what a merge made one."""
    row = await graph.read_one("resolution/find", user=user, id=merge)
    return row["id"] if row else None


async def roots_of(graph: Graph, user: str, ids: Sequence[str]) -> dict[str, str]:
    """What absorbed entities have become: their ids to those of the entities that stand."""
    rows = await graph.read("resolution/roots", user=user, ids=list(ids))
    return {row["id"]: row["root"] for row in rows}


async def merges_of(
    graph: Graph,
    user: str,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    limit: int,
    *,
    merge: str | None = None,
) -> dict[str, list[EntityMerge]]:
    """What entities absorbed, newest first, where readable notes introduce both sides."""
    rows = await graph.read(
        "resolution/merges",
        user=user,
        ids=list(ids),
        merge=merge,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        limit=limit,
    )
    found: dict[str, list[EntityMerge]] = {}
    for row in rows:
        found.setdefault(row["id"], []).append(_to_merge(row))
    return found


def _to_merge(row: Row) -> EntityMerge:
    return EntityMerge(
        id=row["merge"],
        at=row["at"].to_native(),
        actor=row["actor"],
        score=row["score"],
        kept=row["id"],
        merged_name=row["name"],
        undone=row["undone"],
    )


async def likely_pairs(
    graph: Graph, user: str, audiences: Sequence[str], now: datetime, limit: int
) -> list[tuple[str, str]]:
    """Ids of entities whose names have something in common, the newest first."""
    rows = await graph.read(
        "resolution/likely",
        user=user,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        limit=limit,
    )
    return [(row["older"], row["newer"]) for row in rows]


async def around(
    graph: Graph, user: str, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, frozenset[str]]:
    """The entities beside each entity, by what readable notes relate or introduce together."""
    rows = await graph.read(
        "resolution/around",
        user=user,
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
    )
    return {row["id"]: frozenset(row["around"]) for row in rows}
