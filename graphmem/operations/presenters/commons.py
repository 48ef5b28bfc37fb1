"""The commons."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import commons as domain
from graphmem.operations.operation import Operation


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A procedure that can be carried out again, with its record of success."""

    id: str
    name: str
    procedure: str
    trigger: str | None
    tags: tuple[str, ...]
    success_count: int
    failure_count: int
    trust: float
    version: int
    last_used_at: datetime | None
    agent_ids: tuple[str, ...]  # the user's agents that added a version, oldest first
    team: str | None
    """whose it is; null: your own"""
    proposal_id: str | None  # of another version, that this request has made


def skill_of(skill: domain.Skill, operation: Operation) -> Skill:
    """Return a skill; for a team's skill, without the agents of other users."""
    sources = skill.source_agents
    if skill.team is not None:
        named = (each.partition("/") for each in sources)
        user = operation.access.viewer.user
        sources = tuple(agent for owner, _, agent in named if owner == user)
    return Skill(
        id=skill.id,
        name=skill.name,
        procedure=skill.procedure,
        trigger=skill.trigger,
        tags=skill.tags,
        success_count=skill.success_count,
        failure_count=skill.failure_count,
        trust=skill.trust,
        version=skill.version,
        last_used_at=skill.last_used_at,
        agent_ids=sources,
        team=skill.team,
        proposal_id=skill.proposal,
    )


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """An entry of a team's knowledge."""

    id: str
    team: str
    content: str
    domain: str
    confidence: float
    verifier_ids: tuple[str, ...]
    source: str
    """whose note it was"""
    version: int
    score: float | None
    """how well it fits what was asked for, from 0 to 1"""
    note_id: str | None  # the note that it came from
    proposal_id: str | None  # of another version, that this request has made


def knowledge_of(found: domain.Knowledge) -> Knowledge:
    """Return an entry of a team's knowledge."""
    return Knowledge(
        id=found.id,
        team=found.team,
        content=found.content,
        domain=found.domain,
        confidence=found.confidence,
        verifier_ids=found.verified_by,
        source=f"user:{found.source_user}",
        version=found.version,
        score=found.score,
        note_id=found.promoted_from,
        proposal_id=found.proposal,
    )
