"""Links between notes in the graph."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.domain.notes import NEVER, Link
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import LinkRow, complete_rows, to_query_rows
from graphmem.store.times import from_milliseconds


def create_step(
    link_id: str,
    source: str,
    target: str,
    kind: str,
    *,
    user: str,
    reason: str | None,
    strength: float,
    actor: str,
    now: datetime,
) -> Step:
    """Link two notes of a user, once for each kind."""
    return Step(
        "links/create",
        {
            "id": link_id,
            "source": source,
            "target": target,
            "kind": kind,
            "user": user,
            "reason": reason,
            "strength": strength,
            "actor": actor,
            "now": now,
        },
    )


def create_many_step(rows: Sequence[LinkRow], *, user: str, actor: str, now: datetime) -> Step:
    """Link notes of a user."""
    parameters = {"rows": to_query_rows(rows), "user": user, "actor": actor, "now": now}
    return Step("links/create_many", parameters)


def to_link(row: Row) -> Link:
    """Build a link from its row."""
    return Link(
        id=row["id"],
        kind=row["kind"],
        strength=row["strength"],
        reason=row["reason"],
        source=row["source"],
        target=row["target"],
        created_at=row["at"].to_native(),
    )


async def links_of_notes(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime, limit: int
) -> dict[str, list[Link]]:
    """Return the links of each readable note whose other end is readable too, strongest first."""
    rows = await graph.read(
        "links/of_notes",
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        limit=limit,
    )
    found: dict[str, list[Link]] = {}
    for row in rows:
        found.setdefault(row["note"], []).append(to_link(row))
    return found


@dataclass(frozen=True, kw_only=True)
class LinkEnds:
    """The ends of a link with their audiences, and the domain of its source."""

    source: str
    target: str
    audience: str
    target_audience: str
    domain: str


async def get_link(
    graph: Graph, link: str, audiences: Sequence[str], now: datetime
) -> LinkEnds | None:
    """Return the ends of a link if both are readable, else None."""
    row = await graph.read_one("links/get", id=link, audiences=list(audiences), now=now)
    if row is None:
        return None
    return LinkEnds(
        source=row["source"],
        target=row["target"],
        audience=row["audience"],
        target_audience=row["targetAudience"],
        domain=row["domain"],
    )


def delete_step(link: str) -> Step:
    """Remove a link. Raises Stale when somebody else has removed it."""
    return Step("links/delete", {"id": link}, required=True)


@dataclass(frozen=True, slots=True)
class KindLink:
    """A link of some kind between two notes: who made it and why."""

    id: str
    by: str
    source: str
    target: str
    reason: str | None


async def tagged_notes(
    graph: Graph, audience: str, kind: str, now: datetime, limit: int
) -> AsyncIterator[list[tuple[str, list[str], list[KindLink]]]]:
    """Yield all notes of an audience in pages, newest first: id, tags (none unless the note is in
    use), and the links of the kind that start at it."""
    before, before_id = NEVER, ""
    while True:
        rows: list[Any] = await graph.read_list(
            "links/tagged",
            audience=audience,
            kind=kind,
            before=before,
            beforeId=before_id,
            now=now,
            limit=limit,
        )
        there = complete_rows(rows, 0, 1, 3)
        if not there:
            return
        yield [
            (
                note,
                tags,
                [
                    KindLink(i, by, note, target, why)
                    for i, by, target, why in complete_rows(links, 0, 2)
                ],
            )
            for note, tags, links, _ in there
        ]
        if len(rows) < limit:
            return
        before_id, before = there[-1][0], from_milliseconds(there[-1][3])


def relate_step(
    rows: Sequence[Row], *, audience: str, kind: str, actor: str, now: datetime
) -> Step:
    """Link notes of one audience; a row holds id, source, target, strength and reason."""
    parameters = {"rows": list(rows), "audience": audience, "kind": kind, "actor": actor}
    return Step("links/relate", {**parameters, "now": now})


def unrelate_step(ids: Sequence[str], actor: str) -> Step:
    """Remove links that the actor made."""
    return Step("links/unrelate", {"ids": list(ids), "actor": actor})
