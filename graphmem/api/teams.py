"""Teams in the API."""

from datetime import datetime

import strawberry

from graphmem.api.actors import Team, User
from graphmem.api.fields import mutation_of, query_of
from graphmem.operations.commands.teams import (
    BlockInvitations,
    DeclineInvitation,
    JoinTeam,
    LeaveTeam,
    ListInvitationBlocks,
    ListInvitations,
    RegisterTeam,
    ShareDomain,
)


@strawberry.type
class Invitation:
    """An invitation to be a member of a team."""

    team: strawberry.ID
    name: str
    invited_by: strawberry.ID
    """the user who named you"""
    at: datetime


@strawberry.type
class InvitationBlock:
    """A block of invitations: to a team, by a user, both combined, or, without both, all of
    them."""

    team: strawberry.ID | None
    user: strawberry.ID | None
    at: datetime


@strawberry.type
class TeamQuery:
    """Reading about teams; your own teams are at `viewer`."""

    invitations = query_of(ListInvitations, list[Invitation])
    invitation_blocks = query_of(ListInvitationBlocks, list[InvitationBlock])


@strawberry.type
class TeamMutation:
    """Changing teams."""

    register_team = mutation_of(RegisterTeam, Team)
    join_team = mutation_of(JoinTeam, Team)
    leave_team = mutation_of(LeaveTeam, bool)
    decline_invitation = mutation_of(DeclineInvitation, bool)
    block_invitations = mutation_of(BlockInvitations, list[InvitationBlock])
    share_domain = mutation_of(ShareDomain, User)
