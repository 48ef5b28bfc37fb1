"""What teams know, in the graph: notes of the team."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.domain.commons import Knowledge
from graphmem.domain.notes import Kind, Note
from graphmem.domain.owners import Owner
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import audience_map, note_properties
from graphmem.store.vectors import sent


def create_shared_step(
    note: Note,
    vector: Sequence[float],
    properties: Mapping[str, object],
    *,
    actor: str,
    now: datetime,
) -> Step:
    """Creates a note of a team: a skill if it is a procedure, else knowledge; `properties`: beside
    those of a note."""
    own = {"visibilityByUser": False, "givenTags": [], "givenKeywords": []}
    return Step(
        "commons/create_shared",
        {
            "properties": note_properties(note) | own | properties,
            "audience": audience_map(note.audience),
            "embedding": sent(vector),
            "skill": note.kind is Kind.PROCEDURAL,
            "actor": actor,
            "now": now,
        },
        required=True,
    )


def change_shared_step(
    note: str,
    version: int,
    audiences: Sequence[str],
    given: Mapping[str, object],
    vector: Sequence[float] | None,
    *,
    actor: str,
    now: datetime,
) -> Step:
    """Gives a team's note other properties; Stale unless it still has the version."""
    return Step(
        "commons/change_shared",
        {
            "id": note,
            "version": version,
            "audiences": list(audiences),
            "given": dict(given),
            "changes": json.dumps({"content": "content" in given}),
            "embedding": None if vector is None else sent(vector),
            "actor": actor,
            "now": now,
        },
        required=True,
    )


async def search_knowledge(
    graph: Graph,
    audiences: Sequence[str],
    vector: Sequence[float],
    *,
    now: datetime,
    limit: int,
) -> list[tuple[Knowledge, float]]:
    """What is nearest to a question, with its cosine."""
    if not audiences:
        return []
    rows = await graph.read_list(
        "commons/search_knowledge",
        audiences=list(audiences),
        vector=sent(vector),
        statuses=list(LIVE_STATUSES),
        now=now,
        limit=limit,
    )
    return [(_to_knowledge(row), row["similarity"]) for row in rows]


async def load_knowledge(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, Knowledge]:
    """The readable knowledge among the ids."""
    if not ids or not audiences:
        return {}
    rows = await graph.read_list(
        "commons/load_knowledge",
        ids=list(ids),
        audiences=list(audiences),
        statuses=list(LIVE_STATUSES),
        now=now,
    )
    return {row["id"]: _to_knowledge(row) for row in rows}


def _to_knowledge(row: Row) -> Knowledge:
    return Knowledge(
        id=row["id"],
        team=Owner.named(row["user"]).id,
        content=row["content"],
        domain=row["domain"],
        confidence=row["confidence"],
        verified_by=tuple(row["verifiedBy"]),
        source_user=row["sourceUser"],
        promoted_from=row["promotedFrom"],
        version=row["version"],
    )


def verify_step(
    note: str, audiences: Sequence[str], *, by: str, right: bool, now: datetime
) -> Step:
    """Notes whether a member holds knowledge to be right; Stale when it is gone."""
    given = {"id": note, "audiences": list(audiences), "by": by, "right": right, "now": now}
    return Step("commons/verify_knowledge", given, required=True)


def withdraw_step(note: str, audiences: Sequence[str]) -> Step:
    """Destroys what a team knows; Stale when it is gone."""
    given = {"id": note, "audiences": list(audiences)}
    return Step("commons/withdraw_knowledge", given, required=True)
