"""Teams in the API."""

from __future__ import annotations

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import User, user_of
from graphmem.api.context import Info
from graphmem.domain import actors
from graphmem.domain import teams as domain_of
from graphmem.services.teams import teams


@strawberry.type
class Team:
    """People who share a commons. Only its members are told of it."""

    id: strawberry.ID
    name: str
    user_ids: strawberry.Private[tuple[str, ...]]

    @strawberry.field
    async def members(self, info: Info) -> list[User]:
        """Its members in the order in which they came; the first one says who is in it."""
        found = await loaders.users_loader(info.context).load_many(self.user_ids)
        named = zip(self.user_ids, found, strict=True)
        # An admin who is no member is told of those that were set, not of how they are called.
        return [user_of(user or actors.User(id=i, name=i)) for i, user in named]


@strawberry.type
class TeamMutation:
    """Changing teams."""

    @strawberry.mutation
    async def register_team(
        self,
        info: Info,
        id: strawberry.ID,
        members: list[strawberry.ID],
        name: str | None = None,
    ) -> Team:
        """Register a team, or set its name and all of its members. For the first member or an
        admin, in person; another member may give the list without themselves, to leave."""
        context = info.context
        done = await teams.register_team(context.service, context.access, id, name, members)
        await context.refresh()
        return team_of(done)

    @strawberry.mutation
    async def leave_team(self, info: Info, id: strawberry.ID) -> bool:
        """Leave a team, in person. What one gave to its commons stays there."""
        context = info.context
        done = await teams.leave_team(context.service, context.access, id)
        await context.refresh()
        return done


def team_of(team: domain_of.Team) -> Team:
    """A team."""
    return Team(id=strawberry.ID(team.id), name=team.name, user_ids=team.members)
