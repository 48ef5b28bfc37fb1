"""Handoffs in the API, and agents that agents make."""

from __future__ import annotations

from datetime import datetime

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent
from graphmem.api.context import Info
from graphmem.api.fields import mutation_of, query_of
from graphmem.api.types import Note, load_notes
from graphmem.operations.commands.handoffs import EndHandoff, HandOff, ListHandoffs, SpawnAgent


@strawberry.type
class Handoff:
    """A task that was handed off to an agent, with notes that are lent for it."""

    id: strawberry.ID
    summary: str
    """what is to be done"""
    at: datetime
    ended_at: datetime | None
    user_id: strawberry.Private[str]
    sender_id: strawberry.Private[str | None]
    receiver_id: strawberry.Private[str]
    note_ids: strawberry.Private[tuple[str, ...]]

    @strawberry.field(name="from")
    async def handed_by(self, info: Info) -> Agent | None:
        """Return the agent that handed it off; null for the user in person."""
        return await loaders.agent_of(info.context, self.user_id, self.sender_id)

    @strawberry.field(name="to")
    async def handed_to(self, info: Info) -> Agent | None:
        """Return the agent that it was handed to."""
        return await loaders.agent_of(info.context, self.user_id, self.receiver_id)

    @strawberry.field
    async def notes(self, info: Info) -> list[Note]:
        """The notes that are lent for it and that you read; none once it has ended."""
        return await load_notes(info.context, self.note_ids)


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
