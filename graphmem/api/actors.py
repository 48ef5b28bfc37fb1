"""Users and agents as object types of the API."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from graphmem.api import loaders
from graphmem.api.context import Info
from graphmem.api.enums import AgentRole, Visibility, WritePermission
from graphmem.api.plain import VisibilityRule
from graphmem.domain import actors

if TYPE_CHECKING:
    from graphmem.api.teams import Team


@strawberry.type
class User:
    """A person."""

    id: strawberry.ID
    name: str
    default_visibility: Visibility

    @strawberry.field
    async def agents(self, info: Info) -> list[Agent]:
        """The user's agents."""
        found = await loaders.agents_loader(info.context).load(self.id)
        return [agent_of(agent) for agent in found]

    @strawberry.field
    async def teams(
        self, info: Info
    ) -> list[Annotated[Team, strawberry.lazy("graphmem.api.teams")]]:
        """The user's teams; of another user, those that the viewer's user is in, too."""
        from graphmem.api.teams import team_of

        found = await loaders.teams_loader(info.context).load(self.id)
        return [team_of(team) for team in found]

    @strawberry.field
    def visibility_rules(self, info: Info) -> list[VisibilityRule]:
        """The user's rules by domain; none for an agent."""
        access = info.context.access
        rules = access.told_rules if access.viewer.user == self.id else {}
        return [VisibilityRule(domain=d, visibility=v) for d, v in sorted(rules.items())]


@strawberry.type
class Agent:
    """Software that acts for a user."""

    id: strawberry.ID
    name: str
    role: AgentRole
    domains: list[str]
    can_see_private: bool
    writes: WritePermission
    status: str
    current_task: str | None
    last_active_at: datetime | None
    owner: strawberry.Private[str]

    @strawberry.field
    async def user(self, info: Info) -> User:
        """Whose agent it is."""
        found = await loaders.users_loader(info.context).load(self.owner)
        return user_of(found)

    @strawberry.field
    async def note_count(self, info: Info) -> int:
        """How many readable notes it wrote."""
        return await loaders.written_loader(info.context).load(self.id)


def user_of(user: actors.User) -> User:
    """A user."""
    return User(
        id=strawberry.ID(user.id),
        name=user.name,
        default_visibility=Visibility(user.default_visibility),
    )


def agent_of(agent: actors.Agent) -> Agent:
    """An agent."""
    return Agent(
        id=strawberry.ID(agent.id),
        name=agent.name,
        role=agent.role,
        domains=list(agent.domains),
        can_see_private=agent.can_see_private,
        writes=agent.writes,
        status=agent.status,
        current_task=agent.current_task,
        last_active_at=agent.last_active_at,
        owner=agent.user,
    )
