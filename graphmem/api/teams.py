"""Teams in the API."""

from datetime import datetime

import strawberry

from graphmem.api.actors import Team, User
from graphmem.api.fields import mutation_of, query_of
from graphmem.operations.commands.teams import (
    JoinTeam,
    LeaveTeam,
    ListInvitations,
    RegisterTeam,
    ShareDomain,
)


@strawberry.type
class Invitation:
    """A team asks you to be a member."""

    team: strawberry.ID
    name: str
    invited_by: strawberry.ID
    """the user who named you"""
    at: datetime


@strawberry.type
class TeamQuery:
    """Reading about teams; those that one is in are at `viewer`."""

    invitations = query_of(ListInvitations, list[Invitation])


@strawberry.type
class TeamMutation:
    """Changing teams."""

    register_team = mutation_of(RegisterTeam, Team)
    join_team = mutation_of(JoinTeam, Team)
    leave_team = mutation_of(LeaveTeam, bool)
    share_domain = mutation_of(ShareDomain, User)
