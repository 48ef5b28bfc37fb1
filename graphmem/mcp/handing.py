"""The tools of `orchestrator` that pass work on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.mcp.answers import page, place_of
from graphmem.mcp.reading import PAGED
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.handoffs import EndHandoff, HandOff, ListHandoffs, SpawnAgent


@dataclass(frozen=True, kw_only=True)
class HandedOff:
    """A task that was handed off."""

    handoff_id: str


@dataclass(frozen=True, kw_only=True)
class Spawned:
    """An agent that was made."""

    agent_id: str


@dataclass(frozen=True, kw_only=True)
class ShownHandoff:
    """A task that was handed off. `from_agent_id` is None if the user in person did it."""

    handoff_id: str
    from_agent_id: str | None = None
    to_agent_id: str
    content: str
    truncated: bool | None = None
    memory_ids: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Handoffs(OfMemory):
    """Tasks to and from an agent that have not ended, newest first."""

    handoffs: tuple[ShownHandoff, ...]
    next_cursor: str | None = None


async def list_handoffs(tool: Tool, call: Call) -> Handoffs:
    """List the tasks that were handed off."""
    found = [
        ShownHandoff(
            handoff_id=each.id,
            from_agent_id=each.sender_id,
            to_agent_id=each.receiver_id,
            content=each.summary,
            memory_ids=each.note_ids,
            at=each.at,
        )
        for each in await carry_out(tool, call)
    ]
    shown = page(found, call.tokens, place_of(call.cursor))
    return Handoffs(handoffs=shown.items, next_cursor=shown.next_cursor)


async def hand_off(tool: Tool, call: Call) -> HandedOff:
    """Hand a task off, or end that."""
    return HandedOff(handoff_id=(await carry_out(tool, call)).id)


async def spawn(tool: Tool, call: Call) -> Spawned:
    """Make an agent."""
    return Spawned(agent_id=(await carry_out(tool, call)).id)


HANDING: Final = (
    Tool(
        name="agent.handoff",
        title="Hand a task over to another agent",
        about="Let another agent continue: 'give this to', pass the task on, with exactly the "
        "notes that it needs. They are lent until its session ends. Say in the summary what is to"
        " be done.",
        command=HandOff,
        answer=HandedOff,
        run=hand_off,
        params=(
            Param(name="to_agent_id", of="to", about="The agent that goes on with the task."),
            Param(name="context_summary", of="summary", about="What is done and what is to do."),
            Param(name="memory_ids_to_transfer", of="noteIds", about="The notes that it needs."),
        ),
        frame=("from_agent_id", "user_id"),
    ),
    Tool(
        name="agent.handoffs",
        title="Tasks handed to you",
        about="Which tasks did other agents pass on to you, and you to them: 'what was handed over "
        "to me', with what is to be done and the notes for it. Call it when you begin to work.",
        command=ListHandoffs,
        answer=Handoffs,
        run=list_handoffs,
        frame=PAGED,
    ),
    Tool(
        name="agent.end_handoff",
        title="End a handover",
        about="The task that was handed over to you is finished: end the handover. The notes that "
        "were lent for it are lent no more.",
        command=EndHandoff,
        answer=HandedOff,
        run=hand_off,
        params=(Param(name="handoff_id", of="id", about="As agent.handoffs gave it."),),
        idempotent=True,
    ),
    Tool(
        name="agent.spawn",
        title="Create a new agent",
        about="Make a new helper agent for a kind of work, with the notes that it begins with. It"
        " gets no more rights than you have.",
        command=SpawnAgent,
        answer=Spawned,
        run=spawn,
        params=(
            Param(name="role", of="role", about="What it is for; an agent makes workers."),
            Param(name="domains", of="domains", about="The domains that it works in."),
            Param(name="initial_memory_ids", of="noteIds", about="The notes that it begins with."),
        ),
        frame=("agent_id", "user_id"),
    ),
)
