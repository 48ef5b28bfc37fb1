"""The reads of consolidation, and the records of its work."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graphmem.domain.consolidation import EpisodeToSummarise, NearbyKnowledge
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import complete_rows
from graphmem.store.times import from_milliseconds
from graphmem.store.vectors import to_vector

MILLISECONDS = 3_600_000.0  # in an hour


@dataclass(frozen=True, kw_only=True)
class DueUser:
    """A user whose episodes since a time are to be consolidated, with the key of each audience and
    whether it has new notes."""

    user: str
    since: datetime
    audiences: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, kw_only=True)
class Used:
    """A note of knowledge with the times of its use."""

    id: str
    created_at: datetime
    accesses: tuple[datetime, ...]
    access_count: int


async def users_to_consolidate(
    graph: Graph, after: str, *, day: datetime, limit: int
) -> list[DueUser]:
    """Return users in the order of their ids, after one; `day` is the beginning of the period that
    is always considered."""
    rows = await graph.read("job:consolidate_memory", after=after, day=day, limit=limit)
    return [
        DueUser(
            user=row["user"],
            # In the zone of the graph, which orders equal instants in two zones.
            since=row["since"].to_native().astimezone(UTC),
            audiences=tuple((key, fresh) for key, fresh in row["audiences"]),
        )
        for row in rows
    ]


async def has_proven(graph: Graph, user: str, *, since: datetime, now: datetime) -> bool:
    """Return True if a procedure of the user that is not a skill was used with success since a
    time."""
    statuses = list(LIVE_STATUSES)
    given = {"user": user, "statuses": statuses, "since": since, "now": now}
    return await graph.read_one("consolidation/has_proven", **given) is not None


async def fresh_audiences(graph: Graph, keys: Sequence[str], since: datetime) -> list[str]:
    """Return those of some audiences that have notes since a time."""
    rows = await graph.read("consolidation/fresh", audiences=list(keys), since=since)
    return [row["audience"] for row in rows]


async def list_new_episodes(
    graph: Graph, audience: str, maker: str, *, since: datetime, now: datetime, page: int, most: int
) -> AsyncIterator[list[EpisodeToSummarise]]:
    """Yield the newest `most` episodes of an audience that no note of the maker covers yet, in
    pages."""
    before, last, seen = now, "\uffff", 0
    while seen < most:
        limit = min(page, most - seen)
        rows: list[Any] = await graph.read_list(
            "consolidation/collect",
            audience=audience,
            maker=maker,
            since=since,
            before=before,
            beforeId=last,
            limit=limit,
        )
        if there := complete_rows(rows, 0, 1, 2, 3):
            yield [
                EpisodeToSummarise(id=note, hours=happened / MILLISECONDS, vector=tuple(vector))
                for note, _, happened, vector in there
            ]
            seen += len(there)
            last, before = there[-1][0], from_milliseconds(there[-1][1])
        if not there or len(rows) < limit:
            return


async def find_near_knowledge(
    graph: Graph,
    audience: str,
    vectors: Mapping[str, Sequence[float]],
    *,
    similarity: float,
    now: datetime,
    limit: int,
) -> dict[str, list[NearbyKnowledge]]:
    """Return the knowledge of an audience that is near each of some vectors, nearest first."""
    if not vectors:
        return {}
    rows = await graph.read(
        "consolidation/near",
        rows=[{"id": i, "vector": to_vector(vector)} for i, vector in vectors.items()],
        audience=audience,
        similarity=similarity,
        now=now,
        near=limit,
    )
    found: dict[str, list[NearbyKnowledge]] = {}
    for row in rows:
        found.setdefault(row["id"], []).append(
            NearbyKnowledge(
                id=row["other"],
                similarity=row["similarity"],
                keywords=tuple(row["keywords"]),
                tags=tuple(row["tags"]),
            )
        )
    return found


def derive_step(rows: Sequence[Row], *, maker: str, now: datetime) -> Step:
    """Connect notes that a job made with their sources; a row holds the note, its sources, and as
    `tellers` those sources that say the same."""
    return Step("consolidation/derive", {"rows": list(rows), "maker": maker, "now": now})


async def active_notes(
    graph: Graph, audience: str, *, now: datetime, page: int, most: int
) -> AsyncIterator[list[Used]]:
    """Yield the newest `most` notes of knowledge of an audience, in pages."""
    before, last, seen = now, "\uffff", 0
    while seen < most:
        limit = min(page, most - seen)
        rows: list[Any] = await graph.read_list(
            "consolidation/active", audience=audience, before=before, beforeId=last, limit=limit
        )
        if there := complete_rows(rows, 0, 1, 2, 3):
            yield [_to_used(row) for row in there]
            seen += len(there)
            last, before = there[-1][0], from_milliseconds(there[-1][1])
        if not there or len(rows) < limit:
            return


def _to_used(row: Sequence[Any]) -> Used:
    note, created, uses, count = row
    return Used(
        id=note,
        created_at=from_milliseconds(created),
        accesses=tuple(from_milliseconds(at) for at in uses),
        access_count=count,
    )


async def list_core_notes(graph: Graph, audience: str) -> tuple[str, ...]:
    """Return the notes of an audience that consolidation has chosen for core memory."""
    rows = await graph.read("consolidation/told", audience=audience)
    return tuple(row["id"] for row in rows)


def set_core_notes_step(audience: str, notes: Sequence[str], now: datetime) -> Step:
    """Choose the notes of an audience that appear in core memory."""
    parameters = {"audience": audience, "notes": sorted(notes), "now": now}
    return Step("consolidation/tell", parameters, required=True)


async def begin(graph: Graph, user: str) -> int | None:
    """Record that a user's memory is being consolidated. Return the number of the first event that
    may report on an earlier run whose process died before its end, else None. The numbers come from
    the database's clock, so the clocks of processes do not matter."""
    row = await graph.write_one("consolidation/begin", user=user)
    return row["before"] if row else None


async def count_events_since(graph: Graph, user: str, actor: str, first: int) -> dict[str, int]:
    """Count an actor's events from a number on that say the same, by their sentence."""
    rows = await graph.read("consolidation/done_since", user=user, actor=actor, first=first)
    return {row["summary"]: row["times"] for row in rows}


def done_step(user: str, now: datetime) -> Step:
    """Record the time up to which a user's episodes are consolidated, and that no process is
    working on them."""
    return Step("consolidation/done", {"user": user, "now": now}, required=True)
