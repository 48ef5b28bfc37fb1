"""The knowledge of teams in the graph: notes of the team."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from graphmem.domain.commons import Knowledge
from graphmem.domain.notes import Note
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import Audience, Section
from graphmem.store.changes import change_step, create_step
from graphmem.store.commons import mark_step
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import ChangeRow, CreateRow, RevisionRow
from graphmem.store.vectors import to_vector

LOOKED_AT: Final = 10_000  # by one search
MORE: Final = 4  # factor: so many more are read if too few may be shown


def create_shared_steps(
    note: Note,
    vector: Sequence[float],
    properties: Mapping[str, object],
    *,
    actor: str,
    now: datetime,
) -> list[Step]:
    """Create a note of a team: a skill or knowledge, depending on its section; `properties` are
    those in addition to the properties of a note."""
    own: dict[str, object] = {"visibilityByUser": False, "givenTags": [], "givenKeywords": []}
    row = CreateRow(
        note=note,
        properties={**own, **properties},
        embedding=vector,
        revisions=[RevisionRow(version=1, content=note.content, changes={})],
    )
    skill = note.section is Section.SKILLS
    mark = mark_step(note.id) if skill else Step("commons/mark_knowledge", {"id": note.id})
    return [create_step([row], user=note.user, actor=actor, now=now), mark]


def change_shared_step(
    note: str,
    version: int,
    audience: Audience,
    given: Mapping[str, object],
    vector: Sequence[float] | None,
    *,
    actor: str,
    now: datetime,
) -> Step:
    """Change properties of a team's note. Raises Stale unless it still has the version."""
    text = given.get("content")
    content = text if isinstance(text, str) else None
    row = ChangeRow(
        id=note,
        version=version,
        audience=audience.key,
        given=given,
        revisions=[
            RevisionRow(version=version + 1, content=content, changes={"content": bool(content)})
        ],
        vector=vector,
    )
    return change_step([row], user=audience.owner.name, agent=None, actor=actor, now=now)


async def search_knowledge(
    graph: Graph,
    audiences: Sequence[str],
    own: Sequence[str],
    vector: Sequence[float],
    *,
    now: datetime,
    limit: int,
) -> list[tuple[Knowledge, float]]:
    """Return the knowledge nearest to a question, with its cosine; `own` are audiences of users
    that the viewer may know of. Knowledge that may not be shown does not displace any other, as far
    as the 10,000 nearest are considered."""
    if not audiences:
        return []
    given = {"audiences": list(audiences), "own": list(own), "statuses": list(LIVE_STATUSES)}
    most = limit
    while True:
        row = await graph.read_one(
            "commons/search_knowledge", **given, vector=to_vector(vector), now=now, limit=most
        )
        assert row is not None
        rows = row["rows"][:limit]
        if len(rows) == limit or row["seen"] < most or most >= LOOKED_AT:
            return [(_to_knowledge(each), each["similarity"]) for each in rows]
        most = min(LOOKED_AT, MORE * most)


async def load_knowledge(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], own: Sequence[str], now: datetime
) -> dict[str, Knowledge]:
    """Return the readable knowledge among the ids; `own` are audiences of users that the viewer may
    know of."""
    if not ids or not audiences:
        return {}
    rows = await graph.read_list(
        "commons/load_knowledge",
        ids=list(ids),
        audiences=list(audiences),
        own=list(own),
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
    note: str, version: int, audiences: Sequence[str], *, by: str, right: bool, now: datetime
) -> Step:
    """Record whether a member considers a version of knowledge right. Raises Stale when it is
    gone."""
    given = {"id": note, "version": version, "audiences": list(audiences), "by": by}
    return Step("commons/verify_knowledge", {**given, "right": right, "now": now}, required=True)


def withdraw_step(note: str, audiences: Sequence[str]) -> Step:
    """Destroy knowledge of a team. Raises Stale when it is already gone."""
    given = {"id": note, "audiences": list(audiences)}
    return Step("commons/withdraw_knowledge", given, required=True)
