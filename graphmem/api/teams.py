"""Teams in the API."""

import strawberry

from graphmem.api.actors import Team, User
from graphmem.api.fields import mutation_of
from graphmem.operations.commands.teams import LeaveTeam, RegisterTeam, ShareDomain


@strawberry.type
class TeamMutation:
    """Changing teams."""

    register_team = mutation_of(RegisterTeam, Team)
    leave_team = mutation_of(LeaveTeam, bool)
    share_domain = mutation_of(ShareDomain, User)
