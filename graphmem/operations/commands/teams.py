"""Teams and their members."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.actors import User
from graphmem.domain.fields import Domain, Name
from graphmem.domain.teams import Invitation, InvitationBlock, Team
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.services.teams import invitations, sharing, teams


@dataclass(frozen=True, kw_only=True)
class RegisterTeam(Change[Team]):
    """Register a team, or set its name and all of its members. For the first member or an admin, in
    person; another member may give the list without themselves, to leave. A user named by an admin
    is a member; one named by another user is invited, and a member as soon as they join."""

    id: Name
    members: tuple[Name, ...]
    name: str | None = None

    async def run(self, operation: Operation) -> Team:
        """Register the team."""
        return await teams.register_team(
            operation.service, operation.access, self.id, self.name, self.members
        )


@dataclass(frozen=True, kw_only=True)
class JoinTeam(Change[Team]):
    """Agree, in person, to be a member of a team that invites you."""

    id: Name

    async def run(self, operation: Operation) -> Team:
        """Join it."""
        return await teams.join_team(operation.service, operation.access, self.id)


@dataclass(frozen=True, kw_only=True)
class ListInvitations(Command[list[Invitation]]):
    """The teams that invite you, newest invitations first, at most five from each inviter, and 100
    in all; for agents none. An invitation lasts for 30 days, and while its giver is in the team."""

    async def run(self, operation: Operation) -> list[Invitation]:
        """Read them."""
        return await invitations.list_invitations(operation.service, operation.access)


@dataclass(frozen=True, kw_only=True)
class DeclineInvitation(Change[bool]):
    """Decline, in person, the invitation to a team. It is not listed again for 30 days."""

    team: Name

    async def run(self, operation: Operation) -> bool:
        """Decline it."""
        return await invitations.decline(operation.service, operation.access, self.team)


@dataclass(frozen=True, kw_only=True)
class BlockInvitations(Change[list[InvitationBlock]]):
    """Block, in person, the invitations to a team, those by a user, or, without both, all of them;
    with `block: false` no longer. Nobody learns of it. The answer lists your blocks after that."""

    team: Name | None = None
    user: Name | None = None
    block: bool = True

    async def run(self, operation: Operation) -> list[InvitationBlock]:
        """Block them."""
        return await invitations.block(
            operation.service, operation.access, self.team, self.user, block=self.block
        )


@dataclass(frozen=True, kw_only=True)
class ListInvitationBlocks(Command[list[InvitationBlock]]):
    """The invitations that you block, newest blocks first; for agents none."""

    async def run(self, operation: Operation) -> list[InvitationBlock]:
        """Read it."""
        return await invitations.list_blocks(operation.service, operation.access)


@dataclass(frozen=True, kw_only=True)
class LeaveTeam(Change[bool]):
    """Leave a team, in person, or decline its invitation. What you gave to its commons stays
    there."""

    id: Name

    async def run(self, operation: Operation) -> bool:
        """Leave it."""
        return await teams.leave_team(operation.service, operation.access, self.id)


@dataclass(frozen=True, kw_only=True)
class ShareDomain(Change[User]):
    """Share a domain, and what lies below it, with a team, in person: its members and their agents
    see which of your agents know about it, and `consult` reads its `OPEN` and `SCOPED` notes for
    them. `share: false` undoes that."""

    domain: Domain
    team: Name
    share: bool = True
    expires_at: datetime | None = None
    """when it ends by itself"""

    async def run(self, operation: Operation) -> User:
        """Share it, or take it back."""
        return await sharing.share_domain(
            operation.service,
            operation.access,
            self.domain,
            self.team,
            share=self.share,
            expires_at=self.expires_at,
        )
