"""Teams in the API."""

import strawberry

from graphmem.api.actors import Team, User
from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import object_type
from graphmem.domain import teams
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

Invitation = object_type(teams.Invitation, team=strawberry.ID, invited_by=strawberry.ID)
InvitationBlock = object_type(teams.InvitationBlock, team=strawberry.ID, user=strawberry.ID)


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
