"""Handoffs, and agents that agents make."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.actors import Agent, AgentRole
from graphmem.domain.fields import AtMost, Between, Id, Name
from graphmem.domain.handoffs import MAX_LENT
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.handoffs import Handoff, handoff_of, handoffs_of
from graphmem.services.handoffs import handoffs


@dataclass(frozen=True, kw_only=True)
class ListHandoffs(Command[list[Handoff]]):
    """The tasks that were handed off and have not ended, newest first: in person all of the user's,
    else those to or from the agent that asks."""

    first: Annotated[int, Between(1, handoffs.MAX_PAGE)] = 20

    async def run(self, operation: Operation) -> list[Handoff]:
        """Read them."""
        found = await handoffs.list_handoffs(operation.service, operation.access, self.first)
        return await handoffs_of(found, operation)


@dataclass(frozen=True, kw_only=True)
class HandOff(Change[Handoff]):
    """Hand a task off to another agent of the user, with notes that you read. They are lent to it
    until the session ends in which it works on the task, at most for a week: `OPEN` and `SCOPED`
    notes of any domain, others only if it may read them itself, `USER_ONLY` never."""

    to: Name
    summary: str
    note_ids: Annotated[tuple[Id, ...], AtMost(MAX_LENT)]

    async def run(self, operation: Operation) -> Handoff:
        """Hand it off."""
        made = await handoffs.hand_off(
            operation.service, operation.access, self.to, self.summary, self.note_ids
        )
        return await handoff_of(made, operation)


@dataclass(frozen=True, kw_only=True)
class EndHandoff(Change[Handoff]):
    """End a handoff, in person or as one of its two agents: its notes are no longer lent."""

    id: Id

    async def run(self, operation: Operation) -> Handoff:
        """End it."""
        ended = await handoffs.end(operation.service, operation.access, self.id)
        return await handoff_of(ended, operation)


@dataclass(frozen=True, kw_only=True)
class SpawnAgent(Change[Agent]):
    """Make a new agent, with notes that are lent to it until its first session ends. In person, or
    as an assistant or an orchestrator: an agent may create only workers, with no more domains and
    rights than its own."""

    role: AgentRole
    domains: tuple[str, ...] | None = None
    note_ids: Annotated[tuple[Id, ...] | None, AtMost(MAX_LENT)] = None

    async def run(self, operation: Operation) -> Agent:
        """Create it."""
        return await handoffs.spawn(
            operation.service, operation.access, self.role, self.domains, self.note_ids or ()
        )
