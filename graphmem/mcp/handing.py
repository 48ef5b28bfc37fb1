"""The tools of `orchestrator` that pass work on."""

from dataclasses import dataclass
from typing import Final

from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.handoffs import HandOff, SpawnAgent


@dataclass(frozen=True, kw_only=True)
class HandedOff:
    """A task that was handed off."""

    handoff_id: str


@dataclass(frozen=True, kw_only=True)
class Spawned:
    """An agent that was made."""

    agent_id: str


async def hand_off(tool: Tool, call: Call) -> HandedOff:
    """Hand a task off."""
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
