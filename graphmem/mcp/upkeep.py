"""The tools of `memory` that go through everything it knows."""

from dataclasses import dataclass
from typing import Final

from graphmem.mcp.answers import page, place_of, text_page, word
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.conflicts import Consolidate
from graphmem.operations.commands.reflection import ListReflections, Reflect
from graphmem.operations.presenters.reflection import Reflection


@dataclass(frozen=True, kw_only=True)
class Consolidated(OfMemory):
    """The result of a consolidation."""

    consolidation_report: str
    created: int
    merged: int
    pruned: int
    conflicts: int
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class ShownItem:
    """One change that a reflection proposes."""

    item_id: str
    kind: str
    content: str
    accepted: bool | None = None
    truncated: bool | None = None


@dataclass(frozen=True, kw_only=True)
class ShownReflection:
    """A reflection: proposals of a pass through the memory, which the user decides."""

    reflection_id: str
    number: int
    status: str
    items: tuple[ShownItem, ...]
    items_in_all: int


@dataclass(frozen=True, kw_only=True)
class Reflections(OfMemory):
    """Reflections, newest first."""

    reflections: tuple[ShownReflection, ...]
    next_cursor: str | None = None


ITEMS: Final = 10  # of a reflection that an answer shows


async def consolidate(tool: Tool, call: Call) -> Consolidated:
    """Settle what can be settled."""
    done = await carry_out(tool, call)
    part, _ = text_page(done.markdown, call.tokens)
    return Consolidated(
        consolidation_report=part,
        created=done.created,
        merged=done.merged,
        pruned=done.pruned,
        conflicts=done.conflicts,
    )


async def reflect(tool: Tool, call: Call) -> Reflections:
    """Reflect now."""
    made = await carry_out(tool, call)
    return Reflections(reflections=(_to_shown(made, call.tokens),))


async def list_reflections(tool: Tool, call: Call) -> Reflections:
    """Return reflections with some of their items."""
    found = await carry_out(tool, call)
    shown = page(
        [_to_shown(each, call.tokens // 2) for each in found], call.tokens, place_of(call.cursor)
    )
    return Reflections(reflections=shown.items, next_cursor=shown.next_cursor)


def _to_shown(made: Reflection, tokens: int) -> ShownReflection:
    items = [
        ShownItem(item_id=each.id, kind=each.kind, content=each.summary, accepted=each.accepted)
        for each in made.items
    ]
    return ShownReflection(
        reflection_id=made.id,
        number=made.number,
        status=word(made.status),
        items=page(items[:ITEMS], tokens).items,
        items_in_all=len(items),
    )


UPKEEP: Final = (
    Tool(
        name="memory.consolidate",
        title="Clean up, tidy up duplicates",
        about="Tidy up memory now: merge duplicates and near copies, settle contradictions. "
        "Nothing is lost: merged notes stay in the history. What only the user can decide "
        "becomes a conflict.",
        command=Consolidate,
        answer=Consolidated,
        run=consolidate,
        frame=("agent_id", "user_id", "token_budget"),
        destructive=True,
    ),
    Tool(
        name="memory.reflect",
        title="Reflect, propose insights",
        about="Reflect on all that is known: think it over and propose what follows, new "
        "insights, connections, what to archive, open questions. The user decides; nothing "
        "changes before.",
        command=Reflect,
        answer=Reflections,
        run=reflect,
        frame=("agent_id", "token_budget"),
    ),
    Tool(
        name="memory.reflections",
        title="Earlier reflections",
        about="List past reflections: what they proposed, and what was accepted or rejected.",
        command=ListReflections,
        answer=Reflections,
        run=list_reflections,
        params=(Param(name="status", of="status"),),
        frame=("agent_id", "token_budget", "cursor"),
    ),
)
