"""Agents at work, in the API: their status and their sessions."""

from __future__ import annotations

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent
from graphmem.api.alerts import Alert
from graphmem.api.context import Info
from graphmem.api.fields import mutation_of
from graphmem.api.object_types import fields_of_answer
from graphmem.api.types import Note, load_notes
from graphmem.operations.commands.sessions import CloseSession, OpenSession, ReportStatus
from graphmem.operations.presenters import sessions
from graphmem.operations.related import count_waiting


@fields_of_answer(sessions.Session, agent=Agent, alerts=Alert)
class Session:
    """A piece of work of an agent, with a local memory that no other agent reads."""

    @strawberry.field
    @staticmethod
    async def waiting_proposals(root: strawberry.Parent[sessions.Session], info: Info) -> int:
        """The number of waiting proposals that you may read, at most 500: review them, if you are
        the main agent or an orchestrator."""
        return await count_waiting(info.context)

    @strawberry.field
    @staticmethod
    async def promoted(root: strawberry.Parent[sessions.Session], info: Info) -> list[Note]:
        """The notes of its local memory that are now in the memory of the user."""
        ids = await loaders.promoted_loader(info.context).load(root.id)
        return await load_notes(info.context, ids)


@strawberry.type
class SessionMutation:
    """The work of agents."""

    report_status = mutation_of(ReportStatus, Agent)
    open_session = mutation_of(OpenSession, Session)
    close_session = mutation_of(CloseSession, Session)
