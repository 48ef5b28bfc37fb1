"""Users and agents, and how many notes they can read."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.actors import Agent, AgentRole, Unlisted, User, WritePermission
from graphmem.domain.fields import Name
from graphmem.domain.stats import Stats
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.actors import Viewer
from graphmem.services import actors
from graphmem.services.reading import stats


@dataclass(frozen=True, kw_only=True)
class GetViewer(Command[Viewer]):
    """The viewer who asks."""

    async def run(self, operation: Operation) -> Viewer:
        """Read it."""
        access = operation.access
        viewer = access.viewer
        found, audiences = await asyncio.gather(
            actors.load_users(operation.service, access, [viewer.user]),
            stats.count_audiences(operation.service, access),
        )
        return Viewer(
            user=found.get(viewer.user),
            agent=viewer.agent,
            admin=viewer.admin,
            audiences=audiences,
        )


@dataclass(frozen=True, kw_only=True)
class ListAgents(Command[list[Agent]]):
    """The agents of the viewer's user."""

    async def run(self, operation: Operation) -> list[Agent]:
        """Read them."""
        return await actors.list_agents(operation.service, operation.access)


@dataclass(frozen=True, kw_only=True)
class GetStats(Command[Stats]):
    """The number of notes that the viewer can read, in all and by their properties."""

    as_of: datetime | None = None
    """the notes that were there then, with the status of then"""

    async def run(self, operation: Operation) -> Stats:
        """Count."""
        return await stats.stats_as_of(operation.service, operation.access, self.as_of)


@dataclass(frozen=True, kw_only=True)
class RegisterUser(Change[User]):
    """Register a user or rename one."""

    id: Name
    name: str | None = None

    async def run(self, operation: Operation) -> User:
        """Register."""
        return await actors.register_user(operation.service, operation.access, self.id, self.name)


@dataclass(frozen=True, kw_only=True)
class RegisterAgent(Change[Agent]):
    """Set up an agent of the user: fields that are left out stay unchanged."""

    id: Name
    """the id of the agent"""
    name: str | None = None
    """a name for people"""
    role: AgentRole | None = None
    """what it does; the threshold of `ACT_R` goes by it"""
    domains: tuple[str, ...] | None = None
    """the domains that it works in; `*` is every domain"""
    can_see_private: bool | None = None
    """whether it reads notes that are `PRIVATE`"""
    writes: WritePermission | None = None
    """whether it may write at once"""

    async def run(self, operation: Operation) -> Agent:
        """Set it up."""
        return await actors.register_agent(
            operation.service,
            operation.access,
            self.id,
            name=self.name,
            role=self.role,
            domains=self.domains,
            can_see_private=self.can_see_private,
            writes=self.writes,
        )


@dataclass(frozen=True, kw_only=True)
class GetDefaultAgentMemory(Command[Unlisted]):
    """Read the profile of agents that have none of their own; for the user in person."""

    async def run(self, operation: Operation) -> Unlisted:
        """Read it."""
        return actors.get_unlisted(operation.access)


@dataclass(frozen=True, kw_only=True)
class SetDefaultAgentMemory(Change[Unlisted]):
    """Set what agents may read that have no profile of their own, from the next request on; for the
    user in person."""

    domains: tuple[str, ...]
    """the domains that they work in; `*` is every domain"""
    can_see_private: bool = False
    """whether they read notes that are `PRIVATE`"""

    async def run(self, operation: Operation) -> Unlisted:
        """Set it."""
        given = Unlisted(domains=self.domains, can_see_private=self.can_see_private)
        await actors.set_unlisted(operation.service, operation.access, given)
        await operation.refresh()
        return actors.get_unlisted(operation.access)
