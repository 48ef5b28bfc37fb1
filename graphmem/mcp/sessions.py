"""The tools of an agent at work: its status and its sessions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.sessions import CloseSession, OpenSession, ReportStatus
from graphmem.operations.presenters.alerts import Alert


@dataclass(frozen=True, kw_only=True)
class Reported:
    """The status that the user's agents read."""

    agent_id: str
    status: str
    current_task: str | None = None


@dataclass(frozen=True, kw_only=True)
class ShownSession:
    """A session; `dropped`: its notes that were archived at its end; `alerts`: questions for the
    user, as files that agents depend on were changed."""

    session_id: str
    task: str | None = None
    opened_at: datetime
    closed_at: datetime | None = None
    dropped: int
    alerts: tuple[Alert, ...] = ()


async def report(tool: Tool, call: Call) -> Reported:
    """Report the status."""
    agent = await carry_out(tool, call)
    return Reported(agent_id=agent.id, status=agent.status, current_task=agent.current_task)


async def session(tool: Tool, call: Call) -> ShownSession:
    """Open or close a session."""
    made = await carry_out(tool, call)
    return ShownSession(
        session_id=made.id,
        task=made.task,
        opened_at=made.opened_at,
        closed_at=made.closed_at,
        dropped=made.dropped,
        alerts=made.alerts,
    )


REPORTING: Final = (
    Tool(
        name="agent.report_status",
        title="Report what you are doing",
        about="Tell the other agents your own status: working on something now, blocked, waiting,"
        " finished. Call it when you begin a task, are blocked or done.",
        command=ReportStatus,
        answer=Reported,
        run=report,
        params=(
            Param(name="status", of="status", about="A word, such as working, blocked or idle."),
            Param(name="current_task", of="currentTask", about="The task, in a few words."),
        ),
        idempotent=True,
    ),
)
SESSIONS: Final = (
    Tool(
        name="memory.open_session",
        title="Open a session",
        about="Open, start or begin a session of work for one task: 'I am starting with'. What you "
        "write with its session_id stays together, and yours, until the session is closed. An "
        "older session of yours is closed first.",
        command=OpenSession,
        answer=ShownSession,
        run=session,
        params=(Param(name="task", of="task", about="The task, in a few words."),),
    ),
    Tool(
        name="memory.close_session",
        title="Close the session",
        about="'It is done', 'that is all for now': end the session. What you wrote in it "
        "and what is still present goes to the user's memory, the rest is archived.",
        command=CloseSession,
        answer=ShownSession,
        run=session,
        params=(
            Param(name="session_id", of="id", about="As memory.open_session told.", required=True),
        ),
        idempotent=True,
    ),
)
