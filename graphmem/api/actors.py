"""Users and agents as object types of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.context import Info
from graphmem.api.enums import Visibility
from graphmem.api.object_types import fields_of_answer
from graphmem.domain import actors, expertise, sharing, teams, visibility
from graphmem.operations import related


@fields_of_answer(visibility.VisibilityRule)
class VisibilityRule:
    """The visibility of new notes of a domain and below."""


@fields_of_answer(sharing.SharedDomain, leave=("user",))
class SharedDomain:
    """A domain that a user shares with a team: its members' agents may be routed to `OPEN` and
    `SCOPED` notes of it and below."""

    @strawberry.field
    @staticmethod
    async def team(root: strawberry.Parent[sharing.SharedDomain], info: Info) -> Team:
        """The team that it is shared with."""
        return await loaders.own_teams_loader(info.context).load(root.team)


@fields_of_answer(actors.User, default_visibility=Visibility)
class User:
    """A person."""

    @strawberry.field
    @staticmethod
    async def agents(root: strawberry.Parent[actors.User], info: Info) -> list[Agent]:
        """The user's agents."""
        return await loaders.agents_loader(info.context).load(root.id)

    @strawberry.field
    @staticmethod
    async def teams(root: strawberry.Parent[actors.User], info: Info) -> list[Team]:
        """The user's teams; of another user, those that the viewer's user is in, too."""
        return await loaders.teams_loader(info.context).load(root.id)

    @strawberry.field
    @staticmethod
    async def promotion_opt_outs(root: strawberry.Parent[actors.User], info: Info) -> list[str]:
        """The domains that the user excludes from promotion; none for an agent."""
        return await related.opt_outs_of(info.context, root.id)

    @strawberry.field
    @staticmethod
    def visibility_rules(root: strawberry.Parent[actors.User], info: Info) -> list[VisibilityRule]:
        """The user's rules by domain; none for an agent."""
        rules: list[Any] = related.rules_of(info.context, root.id)
        return rules

    @strawberry.field
    @staticmethod
    async def shared_domains(
        root: strawberry.Parent[actors.User], info: Info
    ) -> list[SharedDomain]:
        """The domains that the user shares with teams; of another user, those shared with teams
        that you are in, too."""
        return await loaders.shared_loader(info.context).load(root.id)


@fields_of_answer(expertise.Expertise)
class Expertise:
    """The expertise of an agent on a topic."""


@fields_of_answer(actors.Agent)
class Agent:
    """Software that acts for a user."""

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


@fields_of_answer(teams.Team, leave=("version", "joined"), invited=strawberry.ID)
class Team:
    """People who share a commons. Only its members and those whom it invites can see it."""

    @strawberry.field
    @staticmethod
    async def members(root: strawberry.Parent[teams.Team], info: Info) -> list[User]:
        """Its members in the order in which they joined; the first one decides who is a member."""
        found = await loaders.users_loader(info.context).load_many(root.members)
        return related.members_of(root, found)  # type: ignore[return-value]
