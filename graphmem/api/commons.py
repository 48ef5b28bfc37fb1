"""The commons in the API: its types, queries and mutations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, User
from graphmem.api.context import Info
from graphmem.api.fields import mutation_of, query_of
from graphmem.api.scalars import JSON
from graphmem.api.types import Note
from graphmem.operations.commands.commons import (
    AddSkill,
    GetSop,
    ListBoard,
    ListKnowledge,
    ListSkills,
    PostBoard,
    RemoveFromBoard,
    ReportSkill,
    ReviseKnowledge,
    SetSop,
    VerifyKnowledge,
    WithdrawKnowledge,
)


@strawberry.type
class Knowledge:
    """What a team knows."""

    id: strawberry.ID
    team: strawberry.ID
    content: str
    domain: str
    confidence: float
    source: str
    """whose note it was"""
    version: int
    score: float | None
    """how well it fits what was asked for, from 0 to 1"""
    verifier_ids: strawberry.Private[tuple[str, ...]]
    note_id: strawberry.Private[str | None]

    @strawberry.field
    async def verified_by(self, info: Info) -> list[User]:
        """The members of your teams who hold it to be right."""
        found = await loaders.users_loader(info.context).load_many(list(self.verifier_ids))
        return [each for each in found if each]

    @strawberry.field
    async def promoted_from(self, info: Info) -> Note | None:
        """The note that it came of, for who may read it."""
        if self.note_id is None:
            return None
        return await loaders.note_loader(info.context).load(self.note_id)


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
    team: strawberry.ID | None
    """whose it is; null: your own"""
    agent_ids: strawberry.Private[tuple[str, ...]]

    @strawberry.field
    async def source_agents(self, info: Info) -> list[Agent]:
        """Your agents that added it or a version of it, the first one first."""
        agents = await loaders.agents_loader(info.context).load(info.context.access.viewer.user)
        known: dict[str, Any] = {agent.id: agent for agent in agents}
        return [known[i] for i in self.agent_ids if i in known]


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

    team: strawberry.ID
    key: str
    value: JSON
    scope: str
    """`team`, an agent or a domain: who reads it"""
    version: int
    actor: str
    updated_at: datetime


@strawberry.type
class CommonsQuery:
    """Reading the commons."""

    commons = query_of(ListKnowledge, list[Knowledge])
    skills = query_of(ListSkills, list[Skill])
    sop = query_of(GetSop, Sop | None)
    board = query_of(ListBoard, list[BoardEntry])


@strawberry.type
class CommonsMutation:
    """Changing the commons."""

    add_skill = mutation_of(AddSkill, Skill)
    report_skill = mutation_of(ReportSkill, Skill)
    set_sop = mutation_of(SetSop, Sop)
    post_board = mutation_of(PostBoard, BoardEntry)
    remove_from_board = mutation_of(RemoveFromBoard, bool)
    verify_knowledge = mutation_of(VerifyKnowledge, Knowledge)
    revise_knowledge = mutation_of(ReviseKnowledge, Knowledge)
    withdraw_knowledge = mutation_of(WithdrawKnowledge, bool)
