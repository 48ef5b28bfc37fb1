"""Users and agents as object types of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.context import Info
from graphmem.api.enums import AgentRole, Visibility, WritePermission
from graphmem.domain import actors, sharing, teams
from graphmem.operations import related


@strawberry.type
class VisibilityRule:
    """The visibility of new notes of a domain and below."""

    domain: str
    visibility: Visibility


@strawberry.type
class SharedDomain:
    """A domain that a user shares with a team: its members' agents may be routed to `OPEN` and
    `SCOPED` notes of it and below."""

    domain: str
    expires_at: datetime | None
    """when it ends by itself"""

    @strawberry.field
    @staticmethod
    async def team(root: strawberry.Parent[sharing.SharedDomain], info: Info) -> Team:
        """The team that it is shared with."""
        return await loaders.own_teams_loader(info.context).load(root.team)


@strawberry.type
class User:
    """A person."""

    id: strawberry.ID
    name: str
    default_visibility: Visibility

    @strawberry.field
    async def agents(self, info: Info) -> list[Agent]:
        """The user's agents."""
        return await loaders.agents_loader(info.context).load(self.id)

    @strawberry.field
    async def teams(self, info: Info) -> list[Team]:
        """The user's teams; of another user, those that the viewer's user is in, too."""
        return await loaders.teams_loader(info.context).load(self.id)

    @strawberry.field
    async def promotion_opt_outs(self, info: Info) -> list[str]:
        """The domains that the user excludes from promotion; none for an agent."""
        return await related.opt_outs_of(info.context, self.id)

    @strawberry.field
    def visibility_rules(self, info: Info) -> list[VisibilityRule]:
        """The user's rules by domain; none for an agent."""
        rules: list[Any] = related.rules_of(info.context, self.id)
        return rules

    @strawberry.field
    async def shared_domains(self, info: Info) -> list[SharedDomain]:
        """The domains that the user shares with teams; of another user, those shared with teams
        that you are in, too."""
        return await loaders.shared_loader(info.context).load(self.id)


@strawberry.type
class Expertise:
    """The expertise of an agent on a topic."""

    topic: str
    confidence: float
    """how sure it is that it knows, from 0 to 1"""
    evidence: int
    """the number of notes that show this"""
    successes: int
    """how often they helped, or a skill among them worked"""
    failures: int
    """how often they did not"""
    updated_at: datetime
    """when the newest of this happened"""


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

    @strawberry.field
    @staticmethod
    async def user(root: strawberry.Parent[actors.Agent], info: Info) -> User:
        """The user whose agent it is."""
        return await loaders.users_loader(info.context).load(root.user)

    @strawberry.field
    @staticmethod
    async def note_count(root: strawberry.Parent[actors.Agent], info: Info) -> int:
        """The number of readable notes that it wrote."""
        if root.user != info.context.access.viewer.user:
            return 0
        return (await loaders.written_loader(info.context).load(root.id)).notes

    @strawberry.field
    @staticmethod
    async def last_active_at(root: strawberry.Parent[actors.Agent], info: Info) -> datetime | None:
        """When it last reported its status, or wrote the newest of its notes that you may read."""
        if root.user != info.context.access.viewer.user:
            return None
        written = await loaders.written_loader(info.context).load(root.id)
        return related.last_activity(root, written)

    @strawberry.field
    @staticmethod
    async def expertise(root: strawberry.Parent[actors.Agent], info: Info) -> list[Expertise]:
        """Its expertise, most certain topic first, at most 20, as far as you may know it: from its
        newest notes that you may read, and those in domains that are shared with a team of
        yours."""
        return await loaders.expertise_loader(info.context).load((root.user, root.id))


@strawberry.type
class Team:
    """People who share a commons. Only its members and those whom it invites can see it."""

    id: strawberry.ID
    name: str
    invited: list[strawberry.ID]
    """users who are asked to be members, and are none before they agree"""

    @strawberry.field
    @staticmethod
    async def members(root: strawberry.Parent[teams.Team], info: Info) -> list[User]:
        """Its members in the order in which they joined; the first one decides who is a member."""
        found = await loaders.users_loader(info.context).load_many(root.members)
        return related.members_of(root, found)  # type: ignore[return-value]
