"""Agents at work: their status and their sessions."""

from dataclasses import dataclass

from graphmem.domain.actors import Agent
from graphmem.domain.fields import Id
from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.sessions import Session, session_of
from graphmem.services import actors
from graphmem.services.sessions import sessions


@dataclass(frozen=True, kw_only=True)
class ReportStatus(Change[Agent]):
    """Report your status and current task, as an agent. All agents of the user can read it."""

    status: str
    current_task: str | None = None

    async def run(self, operation: Operation) -> Agent:
        """Note it."""
        return await actors.report_status(
            operation.service, operation.access, self.status, self.current_task
        )


@dataclass(frozen=True, kw_only=True)
class OpenSession(Change[Session]):
    """Open a session, as an agent. Its open session, if any, is closed first. `alerts` report to
    each agent once what changed in the files that agents depend on."""

    task: str | None = None

    async def run(self, operation: Operation) -> Session:
        """Open it."""
        opened, alerts = await sessions.open_session(operation.service, operation.access, self.task)
        return session_of(opened, operation, alerts)


@dataclass(frozen=True, kw_only=True)
class CloseSession(Change[Session]):
    """Close a session, as its agent: local notes that are present enough go to the memory of
    the user, through the write path; the others are archived."""

    id: Id

    async def run(self, operation: Operation) -> Session:
        """Close it."""
        closed = await sessions.close_session(operation.service, operation.access, self.id)
        return session_of(closed, operation)
