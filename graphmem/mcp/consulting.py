"""The tools of `commons` that ask others, and keep what they know."""

from dataclasses import dataclass
from typing import Final

from graphmem.mcp.answers import page, place_of
from graphmem.mcp.reading import PAGED
from graphmem.mcp.shown import OfMemory, ShownNote, shown_note
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.experts import Consult, KeepFinding


@dataclass(frozen=True, kw_only=True)
class Consulted(OfMemory):
    """The answer and each step to it. `recall_id` is for memory.feedback and commons.keep_finding;
    without `expert_user_id` no other memory answers."""

    answered: bool
    steps: tuple[str, ...]
    expert_user_id: str | None = None
    expert_agent_id: str | None = None
    results: tuple[ShownNote, ...]
    recall_id: str | None = None
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class KeptFinding:
    """The new note."""

    note_id: str
    domain: str


async def consult(tool: Tool, call: Call) -> Consulted:
    """Ask one's own memory, the experts, and the commons. A later page does not count as a use."""
    if call.cursor is not None:
        call.body["track"] = False
    found = await carry_out(tool, call)
    shown = page(
        [shown_note(hit.note, hit.score) for hit in found.hits], call.tokens, place_of(call.cursor)
    )
    expert = found.expert
    return Consulted(
        answered=found.answered,
        steps=found.steps,
        expert_user_id=expert.user if expert else None,
        expert_agent_id=expert.agent.id if expert and expert.agent else None,
        results=shown.items,
        recall_id=found.recall_id,
        next_cursor=shown.next_cursor,
    )


async def keep(tool: Tool, call: Call) -> KeptFinding:
    """Keep something that was found with others."""
    note = await carry_out(tool, call)
    return KeptFinding(note_id=note.id, domain=note.domain)


CONSULTING: Final = (
    Tool(
        name="commons.consult",
        title="Ask those who know",
        about="Put a question to the user's memory and, where that does not know, to agents of "
        "others who share what they know, then to the team: 'maybe somebody else knows'. Call "
        "it when memory.query has no answer.",
        command=Consult,
        answer=Consulted,
        run=consult,
        params=(
            Param(name="question", of="question", about="The question, in plain words."),
            Param(name="topic", of="topic", about="What an expert should know about."),
            Param(name="k", of="k", about="How many notes at most."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="commons.keep_finding",
        title="Keep what an expert told",
        about="Write what another's agent or the team told, by commons.consult, into the user's "
        "own memory. Only when it will be needed again.",
        command=KeepFinding,
        answer=KeptFinding,
        run=keep,
        params=(
            Param(name="recall_id", of="recallId", about="As commons.consult told."),
            Param(name="note_id", of="noteId", about="The note that it found."),
            Param(name="domain", of="domain", about="Where it belongs; else where it was."),
        ),
        idempotent=True,
    ),
)
