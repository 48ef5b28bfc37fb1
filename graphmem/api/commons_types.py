"""The types of the API for what teams share, and for proposals."""

from __future__ import annotations

from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, User
from graphmem.api.context import Info
from graphmem.api.object_types import fields_of_answer, object_type
from graphmem.api.types import Note
from graphmem.domain import commons as domain
from graphmem.domain.proposals import Decision, ProposalKind, ProposalStatus
from graphmem.operations.docstrings import sentence_of
from graphmem.operations.presenters import commons, proposals

for _enum in (Decision, ProposalKind, ProposalStatus):
    strawberry.enum(_enum, description=sentence_of(_enum))


@fields_of_answer(
    commons.Knowledge, leave=("verifier_ids", "note_id", "proposal_id"), team=strawberry.ID
)
class Knowledge:
    """An entry of a team's knowledge."""

    @strawberry.field
    @staticmethod
    async def proposal(root: strawberry.Parent[commons.Knowledge], info: Info) -> Proposal | None:
        """The proposal of another text that this request has made."""
        return await _load_proposal(info, root.proposal_id)

    @strawberry.field
    @staticmethod
    async def verified_by(root: strawberry.Parent[commons.Knowledge], info: Info) -> list[User]:
        """The members of your teams who consider it right."""
        found = await loaders.users_loader(info.context).load_many(list(root.verifier_ids))
        return [each for each in found if each]

    @strawberry.field
    @staticmethod
    async def promoted_from(root: strawberry.Parent[commons.Knowledge], info: Info) -> Note | None:
        """The note that it came from, for those who may read it."""
        if root.note_id is None:
            return None
        return await loaders.note_loader(info.context).load(root.note_id)


@fields_of_answer(commons.Skill, leave=("agent_ids", "proposal_id"), team=strawberry.ID)
class Skill:
    """A procedure that can be carried out again, with its record of success."""

    @strawberry.field
    @staticmethod
    async def proposal(root: strawberry.Parent[commons.Skill], info: Info) -> Proposal | None:
        """The proposal of another version that this request has made."""
        return await _load_proposal(info, root.proposal_id)

    @strawberry.field
    @staticmethod
    async def source_agents(root: strawberry.Parent[commons.Skill], info: Info) -> list[Agent]:
        """Your agents that added it or a version of it, the first one first."""
        agents = await loaders.agents_loader(info.context).load(info.context.access.viewer.user)
        known: dict[str, Any] = {agent.id: agent for agent in agents}
        return [known[i] for i in root.agent_ids if i in known]


async def _load_proposal(info: Info, proposal: str | None) -> Proposal | None:
    return None if proposal is None else await loaders.proposals_loader(info.context).load(proposal)


Sop = object_type(domain.Sop)
BoardEntry = object_type(domain.BoardEntry, team=strawberry.ID)


@fields_of_answer(
    proposals.Proposal,
    leave=("user_id", "author_id", "note_id", "result_id", "conflict_ids", "renews_id"),
    team=strawberry.ID,
)
class Proposal:
    """A proposal that waits for a decision, or was decided lately."""

    @strawberry.field(name="from")
    @staticmethod
    async def proposed_by(root: strawberry.Parent[proposals.Proposal], info: Info) -> Agent | None:
        """The agent that proposes it; null for the user in person, a job, and agents of others."""
        return await loaders.agent_of(info.context, root.user_id, root.author_id)

    @strawberry.field
    @staticmethod
    async def note(root: strawberry.Parent[proposals.Proposal], info: Info) -> Note | None:
        """The note that is to be promoted."""
        return await _load_note(info, root.note_id)

    @strawberry.field
    @staticmethod
    async def result(root: strawberry.Parent[proposals.Proposal], info: Info) -> Note | None:
        """The note that the proposal became."""
        return await _load_note(info, root.result_id)

    @strawberry.field
    @staticmethod
    async def knowledge(
        root: strawberry.Parent[proposals.Proposal], info: Info
    ) -> Knowledge | None:
        """The knowledge that it became, or that it is another version of."""
        known = root.result_id or root.renews_id
        if root.team is None or known is None:
            return None
        return await loaders.knowledge_loader(info.context).load(known)

    @strawberry.field
    @staticmethod
    async def skill(root: strawberry.Parent[proposals.Proposal], info: Info) -> Skill | None:
        """The skill that the team has since it was committed, or that it is another version of."""
        known = root.result_id or root.renews_id
        if root.team is None or known is None:
            return None
        return await loaders.skill_loader(info.context).load(known)

    @strawberry.field
    @staticmethod
    async def conflicts_with(
        root: strawberry.Parent[proposals.Proposal], info: Info
    ) -> list[Proposal]:
        """The waiting proposals that say otherwise."""
        found = await loaders.proposals_loader(info.context).load_many(list(root.conflict_ids))
        return [each for each in found if each]


async def _load_note(info: Info, note: str | None) -> Note | None:
    return None if note is None else await loaders.note_loader(info.context).load(note)
