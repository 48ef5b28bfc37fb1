"""Handoffs in the API, and agents that agents make."""

from __future__ import annotations

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent
from graphmem.api.context import Info
from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import fields_of_answer
from graphmem.api.types import Note, load_notes
from graphmem.operations.commands.handoffs import EndHandoff, HandOff, ListHandoffs, SpawnAgent
from graphmem.operations.presenters import handoffs


@fields_of_answer(handoffs.Handoff, leave=("user_id", "sender_id", "receiver_id", "note_ids"))
class Handoff:
    """A task that was handed off to an agent, with notes that are lent for it."""

    @strawberry.field(name="from")
    @staticmethod
    async def handed_by(root: strawberry.Parent[handoffs.Handoff], info: Info) -> Agent | None:
        """Return the agent that handed it off; null for the user in person."""
        return await loaders.agent_of(info.context, root.user_id, root.sender_id)

    @strawberry.field(name="to")
    @staticmethod
    async def handed_to(root: strawberry.Parent[handoffs.Handoff], info: Info) -> Agent | None:
        """Return the agent that it was handed to."""
        return await loaders.agent_of(info.context, root.user_id, root.receiver_id)

    @strawberry.field
    @staticmethod
    async def notes(root: strawberry.Parent[handoffs.Handoff], info: Info) -> list[Note]:
        """The notes that are lent for it and that you read; none once it has ended."""
        return await load_notes(info.context, root.note_ids)


@strawberry.type
class HandoffQuery:
    """Reading handoffs."""

    handoffs = query_of(ListHandoffs, list[Handoff])


@strawberry.type
class HandoffMutation:
    """Handing tasks off."""

    handoff = mutation_of(HandOff, Handoff)
    end_handoff = mutation_of(EndHandoff, Handoff)
    spawn_agent = mutation_of(SpawnAgent, Agent)
