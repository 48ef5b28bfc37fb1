"""Skills and standard procedures in the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.domain.commons import MAX_SOPS, Skill, Sop
from graphmem.domain.owners import Owner
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.times import EPOCH, instant_from_milliseconds
from graphmem.store.vectors import to_vector


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """The fields of a skill that decide its place in a list; `text` is the beginning of its
    procedure."""

    id: str
    name: str
    trigger: str | None
    text: str
    tags: tuple[str, ...]
    success_count: int
    failure_count: int
    users: int
    similarity: float  # cosine with the question; 0 without one


async def list_skills(
    graph: Graph,
    audiences: Sequence[str],
    tags: Sequence[str],
    vector: Sequence[float] | None,
    *,
    now: datetime,
    limit: int,
) -> list[Ranked]:
    """Return the readable skills with all of the tags, at most `limit`."""
    rows = await graph.read_list(
        "commons/list_skills",
        audiences=list(audiences),
        tags=list(tags) or None,
        vector=None if vector is None else to_vector(vector),
        statuses=list(LIVE_STATUSES),
        now=now,
        limit=limit,
    )
    return [
        Ranked(
            id=row["id"],
            name=row["title"],
            trigger=row["trigger"],
            text=row["content"],
            tags=tuple(row["tags"]),
            success_count=row["successCount"],
            failure_count=row["failureCount"],
            users=len(row["usedBy"]),
            similarity=row["similarity"],
        )
        for row in rows
    ]


async def load_skills(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, Skill]:
    """Return the readable skills among the ids."""
    if not ids:
        return {}
    rows = await graph.read_list(
        "commons/load_skills",
        ids=list(ids),
        audiences=list(audiences),
        statuses=list(LIVE_STATUSES),
        now=now,
    )
    return {row["id"]: _to_skill(row) for row in rows}


def _to_skill(row: Row) -> Skill:
    owner = Owner.named(row["user"])
    return Skill(
        id=row["id"],
        name=row["title"],
        procedure=row["content"],
        trigger=row["trigger"],
        tags=tuple(row["tags"]),
        success_count=row["successCount"],
        failure_count=row["failureCount"],
        users=len(row["usedBy"]),
        version=row["version"],
        last_used_at=instant_from_milliseconds(row["lastUsedAt"]),
        source_agents=tuple(row["sourceAgents"]),
        team=owner.id if owner.is_team else None,
        source_user=row["sourceUser"],
    )


async def find_skill(
    graph: Graph, user: str, key: str, audiences: Sequence[str], now: datetime
) -> str | None:
    """Return the id of the readable skill whose name has this key."""
    row = await graph.read_one("commons/find_skill", **_name_parameters(user, key, audiences, now))
    return row["id"] if row else None


def claim_step(user: str, key: str, audiences: Sequence[str], now: datetime) -> Step:
    """Check, before a new skill is created, that no other writer has just created one of this name.
    Raises Conflict."""
    return Step("commons/claim_skill", _name_parameters(user, key, audiences, now), required=True)


def _name_parameters(
    user: str, key: str, audiences: Sequence[str], now: datetime
) -> dict[str, object]:
    return {
        "user": user,
        "key": key,
        "audiences": list(audiences),
        "statuses": list(LIVE_STATUSES),
        "now": now,
    }


def claim_team_step(team: str, owner: str, key: str, audience: str, now: datetime) -> Step:
    """Check, before a skill of a team is created, that the team has no other one of this name.
    Raises Conflict."""
    given = {"team": team, "owner": owner, "key": key, "audience": audience, "now": now}
    statuses = list(LIVE_STATUSES)
    return Step("commons/claim_team_skill", {**given, "statuses": statuses}, required=True)


def mark_step(note: str) -> Step:
    """Turn a note that was created with the properties of a skill into a skill."""
    return Step("commons/mark_skill", {"id": note})


def skill_properties(trigger: str | None, source_agents: Sequence[str]) -> dict[str, object]:
    """Return the properties that a new skill has in addition to those of a note."""
    return {
        "trigger": trigger,
        "sourceAgents": list(source_agents),
        "successCount": 0,
        "failureCount": 0,
        "usedBy": [],
    }


def report_step(
    skill: str,
    *,
    success: bool,
    by: str,
    agent: str | None,
    version: int | None,
    audiences: Sequence[str],
    now: datetime,
) -> Step:
    """Count one use by a user, with an agent unless in person. Raises Stale when the skill has
    another version than the given one."""
    parameters = {
        "id": skill,
        "success": success,
        "by": by,
        "agent": agent or "",
        "version": version,
        "audiences": list(audiences),
    }
    statuses = list(LIVE_STATUSES)
    return Step(
        "commons/report_skill", {**parameters, "statuses": statuses, "now": now}, required=True
    )


async def get_sop(graph: Graph, places: Sequence[tuple[str, str]]) -> Sop | None:
    """Return the procedure of the longest domain that has one; of several owners, that of the
    first. `places` are pairs of owner and domain."""
    rows = [
        {"owner": owner, "domain": domain, "rank": i} for i, (owner, domain) in enumerate(places)
    ]
    row = await graph.read_one("commons/get_sop", places=rows)
    return to_sop(row["sop"]) if row else None


async def list_sops(graph: Graph, owner: str, *, after: str, limit: int) -> list[Sop]:
    """Return the procedures of an owner, by domain, those after a domain."""
    rows = await graph.read_list("commons/list_sops", owner=owner, after=after, limit=limit)
    return [to_sop(row) for row in rows]


async def sop_standing(graph: Graph, owner: str, domain: str) -> tuple[int, str | None, int]:
    """Return the version of the procedure of exactly this domain (0 if there is none), who set it,
    and the number of procedures that the owner has."""
    row = await graph.read_one("commons/sop_standing", owner=owner, domain=domain)
    assert row is not None
    return row["version"], row["actor"], row["sops"]


def put_sop_step(
    owner: str, domain: str, content: str, *, version: int, actor: str, now: datetime
) -> Step:
    """Set the procedure of a domain; the row of the step holds `sop`. Raises Stale unless the
    procedure still has the version, or when a new one would be too many."""
    given = {"owner": owner, "domain": domain, "content": content, "version": version}
    return Step(
        "commons/put_sop",
        {**given, "actor": actor, "most": MAX_SOPS, "now": now},
        required=True,
    )


def to_sop(row: Row) -> Sop:
    """Build a procedure from its properties."""
    return Sop(
        domain=row["domain"],
        content=row["content"],
        version=row["version"],
        updated_at=EPOCH + timedelta(milliseconds=row["updatedAt"]),
    )
