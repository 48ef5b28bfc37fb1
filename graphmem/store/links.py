"""Links between notes in the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.notes import Link
from graphmem.domain.profiles.parameters import RelatedMemories
from graphmem.domain.profiles.recency import RELATED
from graphmem.domain.related import NEAR
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import LAST_ID, LinkRow, to_query_rows

RELATER: Final = "job:maintain_memory"  # the actor; no user or agent has a colon in its id
# newest notes of an audience that are related: what they take of the memory of Neo4j bounds it
MOST_NOTES: Final = 1_000


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


def parameters_of_relating(
    rules: RelatedMemories, since: datetime, now: datetime
) -> dict[str, object]:
    """Return the parameters of `jobs/relate_notes.cypher` for all audiences."""
    return {
        "since": since,
        "now": now,
        "actor": RELATER,
        "kind": RELATED,
        "threshold": rules.tag_overlap_threshold,
        "each": rules.max_related_per_memory,
        "near": NEAR,
        "newest": MOST_NOTES,
        "after": "",
        "last": LAST_ID,
    }
