"""Sessions of agents."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import alerts
from graphmem.domain import sessions as domain
from graphmem.domain.actors import Agent
from graphmem.errors import Forbidden
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.alerts import Alert, alert_of


@dataclass(frozen=True, kw_only=True)
class Session:
    """A piece of work of an agent, with a local memory that no other agent reads."""

    id: str
    agent: Agent
    task: str | None
    opened_at: datetime
    closed_at: datetime | None
    dropped: int
    """how many local notes were archived when it closed"""
    alerts: tuple[Alert, ...] = ()
    """questions for the user, which each agent gets once, when its session opens"""


def session_of(
    session: domain.Session,
    operation: Operation,
    reported: Sequence[alerts.Alert | alerts.LostFile] = (),
) -> Session:
    """Return a session of the agent that asks, with the alerts for its opening."""
    agent = operation.access.viewer.agent
    if agent is None:
        raise Forbidden("a session is an agent's")
    return Session(
        id=session.id,
        agent=agent,
        task=session.task,
        opened_at=session.opened_at,
        closed_at=session.closed_at,
        dropped=session.dropped,
        alerts=tuple(alert_of(each) for each in reported),
    )
