"""The tools of the memory daemon's document: an agent's own memories, apart from all others'."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphmem.errors import Forbidden
from graphmem.mcp.answers import page, place_of
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.daemon import (
    GetStatus,
    SearchMemories,
    Status,
    Stored,
    StoreMemory,
)

LONGEST_METADATA: Final = 1_000  # characters of JSON that an answer shows


@dataclass(frozen=True, kw_only=True)
class ShownMemory:
    """A memory of the agent; the score is the cosine."""

    id: str
    text: str
    truncated: bool | None = None
    score: float
    tags: tuple[str, ...]
    metadata: Any = None
    created_at: datetime
    project_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Memories(OfMemory):
    """The memories found, best first."""

    results: tuple[ShownMemory, ...]
    count: int
    next_cursor: str | None = None


async def store(tool: Tool, call: Call) -> Stored:
    """Store a memory, for the time in the settings if none is given."""
    call.body["agentId"] = _agent_of(call)
    call.body.setdefault("ttl", call.tools.default_ttl)
    return await carry_out(tool, call)


async def search(tool: Tool, call: Call) -> Memories:
    """Search the agent's memories."""
    call.body["agentId"] = _agent_of(call)
    call.body.setdefault("limit", call.tools.max_results)
    call.body.setdefault("minScore", call.tools.min_score)
    found = await carry_out(tool, call)
    shown = page([_to_shown(each) for each in found.results], call.tokens, place_of(call.cursor))
    return Memories(results=shown.items, count=found.count, next_cursor=shown.next_cursor)


async def get_status(tool: Tool, call: Call) -> Status:
    """Return the state of the service."""
    return await carry_out(tool, call)


def _to_shown(memory: Any) -> ShownMemory:
    short = len(json.dumps(memory.metadata)) <= LONGEST_METADATA
    return ShownMemory(
        id=memory.id,
        text=memory.text,
        score=round(memory.score, 4),
        tags=memory.tags,
        metadata=memory.metadata if short else None,
        created_at=memory.created_at,
        project_id=memory.project_id,
    )


def _agent_of(call: Call) -> str:
    agent = call.operation.access.viewer.agent
    if agent is None:
        raise Forbidden("these are the memories of an agent: give agent_id")
    return agent.id


DAEMON: Final = (
    Tool(
        name="memory.remember",
        title="Jot a text on your scratch pad",
        about="Keep a draft or snippet word for word on your own scratch pad, for yourself alone "
        "and for a limited time. What others need or what must last belongs to "
        "memory.write.",
        command=StoreMemory,
        answer=Stored,
        run=store,
        params=(
            Param(name="text", of="text", about="The text, up to 50,000 characters."),
            Param(name="tags", of="tags"),
            Param(name="metadata", of="metadata", about="Anything of yours, as JSON."),
            Param(name="ttl", of="ttl", about="Seconds until it is gone."),
            Param(name="project_id", of="projectId"),
        ),
    ),
    Tool(
        name="memory.recall",
        title="Search your scratch pad",
        about="Find a draft, snippet or text again that you put on your own scratch pad. For all "
        "else use memory.query.",
        command=SearchMemories,
        answer=Memories,
        run=search,
        params=(
            Param(name="query", of="query"),
            Param(name="limit", of="limit", about="6 if left out.", own_default=True),
            Param(
                name="min_score",
                of="minScore",
                about="Least similarity; 0.5 if left out.",
                own_default=True,
            ),
        ),
        frame=("agent_id", "token_budget", "cursor"),
    ),
    Tool(
        name="memory.status",
        title="Is the memory service up?",
        about="Check whether the memory service and its database work and answer. Call it when "
        "other tools fail.",
        command=GetStatus,
        answer=Status,
        run=get_status,
    ),
)
