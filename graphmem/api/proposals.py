"""Proposals in the API."""

from __future__ import annotations

from datetime import datetime

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, User
from graphmem.api.commons import Knowledge, Skill
from graphmem.api.context import Info
from graphmem.api.enums import Kind, Source
from graphmem.api.fields import input_of, mutation_of, query_of
from graphmem.api.types import Note
from graphmem.domain.proposals import Decision, ProposalKind, ProposalStatus
from graphmem.operations.commands import proposals as commands
from graphmem.operations.commands.promotion import ProposeKnowledge, SetPromotionOptOut

for _enum in (Decision, ProposalKind, ProposalStatus):
    strawberry.enum(_enum)


@strawberry.type
class Proposal:
    """Something that waits for a decision, or was decided lately."""

    id: strawberry.ID
    kind: ProposalKind
    """`WRITE`: a note; `PROMOTION`: that a team knows what a note says, or has it as a skill"""
    status: ProposalStatus
    """`CONFLICT`: it waits, and others that wait say otherwise"""
    content: str
    """the text; of a note that it became, that note's as it is now"""
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
    """until when it is told"""
    reason: str | None
    """that was given with the decision"""
    team: strawberry.ID | None
    """that is to know it"""
    user_id: strawberry.Private[str]
    author_id: strawberry.Private[str | None]
    note_id: strawberry.Private[str | None]
    result_id: strawberry.Private[str | None]
    conflict_ids: strawberry.Private[tuple[str, ...]]

    @strawberry.field(name="from")
    async def proposed_by(self, info: Info) -> Agent | None:
        """The agent that proposes it; null for the user in person, a job, and agents of others."""
        return await loaders.agent_of(info.context, self.user_id, self.author_id)

    @strawberry.field
    async def note(self, info: Info) -> Note | None:
        """The note that is to be promoted."""
        return await _note(info, self.note_id)

    @strawberry.field
    async def result(self, info: Info) -> Note | None:
        """What it became."""
        return await _note(info, self.result_id)

    @strawberry.field
    async def knowledge(self, info: Info) -> Knowledge | None:
        """What the team knows since it was committed."""
        if self.team is None or self.result_id is None:
            return None
        return await loaders.knowledge_loader(info.context).load(self.result_id)

    @strawberry.field
    async def skill(self, info: Info) -> Skill | None:
        """The skill that the team has since it was committed."""
        if self.team is None or self.result_id is None:
            return None
        return await loaders.skill_loader(info.context).load(self.result_id)

    @strawberry.field
    async def conflicts_with(self, info: Info) -> list[Proposal]:
        """Those that wait and say otherwise."""
        found = await loaders.proposals_loader(info.context).load_many(list(self.conflict_ids))
        return [each for each in found if each]


async def _note(info: Info, note: str | None) -> Note | None:
    return None if note is None else await loaders.note_loader(info.context).load(note)


@input_of(commands.ProposalChanges)
class ProposalChanges:
    """With what a proposal is committed, where that is not as it was proposed."""


@strawberry.type
class ProposalQuery:
    """Reading proposals."""

    proposals = query_of(commands.ListProposals, list[Proposal])


@strawberry.type
class ProposalMutation:
    """Proposing what a team is to know, and deciding proposals."""

    propose_knowledge = mutation_of(ProposeKnowledge, Proposal)
    set_promotion_opt_out = mutation_of(SetPromotionOptOut, User)
    decide_proposal = mutation_of(commands.DecideProposal, Proposal, edits=ProposalChanges)
