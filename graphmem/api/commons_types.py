"""The types of the API for what teams share, and for proposals."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, User
from graphmem.api.context import Info
from graphmem.api.enums import Kind, Source
from graphmem.api.scalars import JSON
from graphmem.api.types import Note
from graphmem.domain.proposals import Decision, ProposalKind, ProposalStatus

for _enum in (Decision, ProposalKind, ProposalStatus):
    strawberry.enum(_enum)


@strawberry.type
class Knowledge:
    """An entry of a team's knowledge."""

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
    proposal_id: strawberry.Private[str | None]

    @strawberry.field
    async def proposal(self, info: Info) -> Proposal | None:
        """The proposal of another text that this request has made."""
        return await _load_proposal(info, self.proposal_id)

    @strawberry.field
    async def verified_by(self, info: Info) -> list[User]:
        """The members of your teams who consider it right."""
        found = await loaders.users_loader(info.context).load_many(list(self.verifier_ids))
        return [each for each in found if each]

    @strawberry.field
    async def promoted_from(self, info: Info) -> Note | None:
        """The note that it came from, for those who may read it."""
        if self.note_id is None:
            return None
        return await loaders.note_loader(info.context).load(self.note_id)


@strawberry.type
class Skill:
    """A procedure that can be carried out again, with its record of success."""

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
    proposal_id: strawberry.Private[str | None]

    @strawberry.field
    async def proposal(self, info: Info) -> Proposal | None:
        """The proposal of another version that this request has made."""
        return await _load_proposal(info, self.proposal_id)

    @strawberry.field
    async def source_agents(self, info: Info) -> list[Agent]:
        """Your agents that added it or a version of it, the first one first."""
        agents = await loaders.agents_loader(info.context).load(info.context.access.viewer.user)
        known: dict[str, Any] = {agent.id: agent for agent in agents}
        return [known[i] for i in self.agent_ids if i in known]


async def _load_proposal(info: Info, proposal: str | None) -> Proposal | None:
    return None if proposal is None else await loaders.proposals_loader(info.context).load(proposal)


@strawberry.type
class Sop:
    """The standard procedure of a domain and all below it."""

    domain: str
    content: str
    version: int
    updated_at: datetime


@strawberry.type
class BoardEntry:
    """An entry of a team's board."""

    team: strawberry.ID
    key: str
    value: JSON
    scope: str
    """`team`, an agent or a domain: who reads it"""
    version: int
    actor: str
    updated_at: datetime


@strawberry.type
class Proposal:
    """A proposal that waits for a decision, or was decided lately."""

    id: strawberry.ID
    kind: ProposalKind
    """`WRITE`: a note; `PROMOTION`: that a team knows what a note says, or has it as a skill;
    `REVISION`: another version of that"""
    status: ProposalStatus
    """`CONFLICT`: it waits, and others that wait say otherwise"""
    content: str
    """the text; of a note that it became, that note's as it is now; of a team, the text that was
    consented to, which is empty for other members once the team has another version"""
    title: str | None
    domain: str
    note_kind: Kind
    """the store of memory that is suggested"""
    source: Source
    tags: list[str]
    entities: list[str]
    """names that the text holds"""
    confidence: float
    core_worthy: bool
    """whether the note would be part of core memory"""
    at: datetime
    expires_at: datetime
    """the time until which it is shown"""
    reason: str | None
    """that was given with the decision"""
    team: strawberry.ID | None
    """that is to know it"""
    trigger: str | None
    """when the skill is to be used"""
    user_id: strawberry.Private[str]
    author_id: strawberry.Private[str | None]
    note_id: strawberry.Private[str | None]
    result_id: strawberry.Private[str | None]
    conflict_ids: strawberry.Private[tuple[str, ...]]
    renews_id: strawberry.Private[str | None]

    @strawberry.field(name="from")
    async def proposed_by(self, info: Info) -> Agent | None:
        """The agent that proposes it; null for the user in person, a job, and agents of others."""
        return await loaders.agent_of(info.context, self.user_id, self.author_id)

    @strawberry.field
    async def note(self, info: Info) -> Note | None:
        """The note that is to be promoted."""
        return await _load_note(info, self.note_id)

    @strawberry.field
    async def result(self, info: Info) -> Note | None:
        """The note that the proposal became."""
        return await _load_note(info, self.result_id)

    @strawberry.field
    async def knowledge(self, info: Info) -> Knowledge | None:
        """The knowledge that it became, or that it is another version of."""
        known = self.result_id or self.renews_id
        if self.team is None or known is None:
            return None
        return await loaders.knowledge_loader(info.context).load(known)

    @strawberry.field
    async def skill(self, info: Info) -> Skill | None:
        """The skill that the team has since it was committed, or that it is another version of."""
        known = self.result_id or self.renews_id
        if self.team is None or known is None:
            return None
        return await loaders.skill_loader(info.context).load(known)

    @strawberry.field
    async def conflicts_with(self, info: Info) -> list[Proposal]:
        """The waiting proposals that say otherwise."""
        found = await loaders.proposals_loader(info.context).load_many(list(self.conflict_ids))
        return [each for each in found if each]


async def _load_note(info: Info, note: str | None) -> Note | None:
    return None if note is None else await loaders.note_loader(info.context).load(note)
