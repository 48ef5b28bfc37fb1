"""Agents at work, in the API: their status and their sessions."""

from __future__ import annotations

from datetime import datetime

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, agent_of
from graphmem.api.context import Info
from graphmem.api.types import Note, load_notes
from graphmem.domain import actors as actors_of
from graphmem.domain import sessions as domain_of
from graphmem.services import actors
from graphmem.services.sessions import sessions


@strawberry.type
class Session:
    """A piece of work of an agent, with a local memory that no other agent reads."""

    id: strawberry.ID
    task: str | None
    opened_at: datetime
    closed_at: datetime | None
    dropped: int
    """how many local notes were archived when it closed"""
    of: strawberry.Private[actors_of.Agent]

    @strawberry.field
    async def agent(self) -> Agent:
        """Whose session it is."""
        return agent_of(self.of)

    @strawberry.field
    async def promoted(self, info: Info) -> list[Note]:
        """What of its local memory is now in the memory of the user."""
        ids = await loaders.promoted_loader(info.context).load(self.id)
        return await load_notes(info, ids)


@strawberry.type
class SessionMutation:
    """The work of agents."""

    @strawberry.mutation
    async def report_status(
        self, info: Info, status: str, current_task: str | None = None
    ) -> Agent:
        """Tell one's status and what one works on, as an agent. All agents of the user read it."""
        context = info.context
        done = await actors.report_status(context.service, context.access, status, current_task)
        await context.refresh()
        return agent_of(done)

    @strawberry.mutation
    async def open_session(self, info: Info, task: str | None = None) -> Session:
        """Open a session, as an agent. Its one that is still open is closed first."""
        context = info.context
        opened = await sessions.open_session(context.service, context.access, task)
        return await _session_of(opened, info)

    @strawberry.mutation
    async def close_session(self, info: Info, id: strawberry.ID) -> Session:
        """Close a session, as its agent: local notes that are present enough go to the memory of
        the user, through the write path; the others are archived."""
        context = info.context
        closed = await sessions.close_session(context.service, context.access, id)
        return await _session_of(closed, info)


async def _session_of(session: domain_of.Session, info: Info) -> Session:
    await info.context.refresh()
    agent = info.context.access.viewer.agent
    assert agent is not None
    return Session(
        id=strawberry.ID(session.id),
        task=session.task,
        opened_at=session.opened_at,
        closed_at=session.closed_at,
        dropped=session.dropped,
        of=agent,
    )
