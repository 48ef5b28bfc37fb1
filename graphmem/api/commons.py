"""The commons in the API: its types, queries and mutations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from graphmem.api import inputs, loaders
from graphmem.api.actors import Agent, User, agent_of
from graphmem.api.context import Info
from graphmem.api.scalars import JSON
from graphmem.api.types import Note
from graphmem.domain import commons as domain_of
from graphmem.services.commons import commons, skills


@strawberry.type
class Knowledge:
    """What a team knows."""

    id: strawberry.ID
    content: str
    domain: str
    confidence: float
    verified_by: list[User]
    promoted_from: Note | None
    source: str
    score: float | None


@strawberry.type
class Skill:
    """A procedure that can be carried out again, with how it went."""

    id: strawberry.ID
    name: str
    procedure: str
    trigger: str | None
    tags: list[str]
    success_count: int
    failure_count: int
    trust: float
    version: int
    last_used_at: datetime | None
    agent_ids: strawberry.Private[tuple[str, ...]]

    @strawberry.field
    async def source_agents(self, info: Info) -> list[Agent]:
        """The agents that added it or a version of it, the first one first."""
        agents = await loaders.agents_loader(info.context).load(info.context.access.viewer.user)
        known: dict[str, Any] = {agent.id: agent for agent in agents}
        return [agent_of(known[i]) for i in self.agent_ids if i in known]


@strawberry.type
class Sop:
    """The standard procedure of a domain and all below it."""

    domain: str
    content: str
    version: int
    updated_at: datetime


@strawberry.type
class BoardEntry:
    """What a team's board says."""

    key: str
    value: JSON
    scope: str
    version: int
    actor: str
    updated_at: datetime


@strawberry.type
class Expert:
    """Who knows about a topic."""

    user: User
    agent: Agent | None
    topic: str
    confidence: float
    last_active_at: datetime | None


@strawberry.type
class CommonsQuery:
    """Reading the commons."""

    @strawberry.field
    async def commons(
        self, topic: str, domain: str | None = None, k: int | None = 10
    ) -> list[Knowledge]:
        """What the viewer's teams know of a topic; empty without a team."""
        return [*commons.list_knowledge(topic, domain, inputs.or_default(k, 10))]

    @strawberry.field
    async def skills(
        self,
        info: Info,
        search: str | None = None,
        tags: list[str] | None = None,
        first: int | None = 20,
    ) -> list[Skill]:
        """Skills that fit a search, or the most trusted, with all of the tags."""
        context = info.context
        found = await skills.list_skills(
            context.service, context.access, search, tags, inputs.or_default(first, 20)
        )
        return [skill_of(skill) for skill in found]

    @strawberry.field
    async def sop(self, info: Info, domain: str) -> Sop | None:
        """The standard procedure of a domain, else that of the nearest domain above."""
        found = await commons.get_sop(info.context.service, info.context.access, domain)
        return sop_of(found) if found else None

    @strawberry.field
    async def board(self, scope: str | None = None, prefix: str | None = None) -> list[BoardEntry]:
        """What the viewer's teams posted; empty without a team."""
        return [*commons.list_board(scope, prefix)]

    @strawberry.field
    async def who_knows(self, topic: str, first: int | None = 5) -> list[Expert]:
        """Who of the viewer's teams knows about a topic; empty without a team."""
        return [*commons.list_experts(topic, inputs.or_default(first, 5))]


@strawberry.type
class CommonsMutation:
    """Changing the commons."""

    @strawberry.mutation
    async def add_skill(
        self,
        info: Info,
        name: str,
        procedure: str,
        trigger: str | None = None,
        tags: list[str] | None = None,
    ) -> Skill:
        """Add a skill, or a new version of the one with this name."""
        context = info.context
        made = await skills.add_skill(
            context.service, context.access, name, procedure, trigger, tags
        )
        await context.refresh()
        return skill_of(made)

    @strawberry.mutation
    async def report_skill(self, info: Info, id: strawberry.ID, success: bool) -> Skill:
        """Count a use of a skill."""
        context = info.context
        done = await skills.report_skill(context.service, context.access, id, success)
        await context.refresh()
        return skill_of(done)

    @strawberry.mutation
    async def set_sop(self, info: Info, domain: str, content: str) -> Sop:
        """Set the standard procedure of a domain; its text before stays in the graph."""
        context = info.context
        done = await commons.set_sop(context.service, context.access, domain, content)
        await context.refresh()
        return sop_of(done)


def skill_of(skill: domain_of.Skill) -> Skill:
    """A skill."""
    return Skill(
        id=strawberry.ID(skill.id),
        name=skill.name,
        procedure=skill.procedure,
        trigger=skill.trigger,
        tags=list(skill.tags),
        success_count=skill.success_count,
        failure_count=skill.failure_count,
        trust=skill.trust,
        version=skill.version,
        last_used_at=skill.last_used_at,
        agent_ids=skill.source_agents,
    )


def sop_of(sop: domain_of.Sop) -> Sop:
    """A standard procedure."""
    return Sop(
        domain=sop.domain, content=sop.content, version=sop.version, updated_at=sop.updated_at
    )
