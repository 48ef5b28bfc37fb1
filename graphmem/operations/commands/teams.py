"""Teams: who is in them."""

from dataclasses import dataclass

from graphmem.domain.teams import Team
from graphmem.operations.command import Change
from graphmem.operations.fields import Id
from graphmem.operations.operation import Operation
from graphmem.services.teams import teams


@dataclass(frozen=True, kw_only=True)
class RegisterTeam(Change[Team]):
    """Register a team, or set its name and all of its members. For the first member or an
    admin, in person; another member may give the list without themselves, to leave."""

    id: Id
    members: tuple[Id, ...]
    name: str | None = None

    async def run(self, operation: Operation) -> Team:
        """Register it."""
        return await teams.register_team(
            operation.service, operation.access, self.id, self.name, self.members
        )


@dataclass(frozen=True, kw_only=True)
class LeaveTeam(Change[bool]):
    """Leave a team, in person. What one gave to its commons stays there."""

    id: Id

    async def run(self, operation: Operation) -> bool:
        """Leave it."""
        return await teams.leave_team(operation.service, operation.access, self.id)
