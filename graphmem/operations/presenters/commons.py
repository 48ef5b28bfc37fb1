"""The commons."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import commons as domain


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A procedure that can be carried out again, with how it went."""

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
    agent_ids: tuple[str, ...]  # that added it or a version of it, the first one first


def skill_of(skill: domain.Skill) -> Skill:
    """A skill."""
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
        agent_ids=skill.source_agents,
    )
