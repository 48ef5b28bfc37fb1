"""The tools of `commons` for the knowledge of teams."""

from dataclasses import dataclass
from typing import Final

from graphmem.mcp.answers import page, place_of
from graphmem.mcp.reading import PAGED
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.commons import ListKnowledge
from graphmem.operations.commands.promotion import ProposeKnowledge


@dataclass(frozen=True, kw_only=True)
class ShownKnowledge:
    """An entry of a team's knowledge."""

    entry_id: str
    content: str
    domain: str
    confidence: float
    source: str
    team: str
    truncated: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Entries(OfMemory):
    """Knowledge of teams, best first."""

    entries: tuple[ShownKnowledge, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class Proposed:
    """A proposal to a team."""

    proposal_id: str
    status: str


async def query(tool: Tool, call: Call) -> Entries:
    """Return the knowledge of the teams about a topic."""
    found = [
        ShownKnowledge(
            entry_id=each.id,
            content=each.content,
            domain=each.domain,
            confidence=each.confidence,
            source=each.source,
            team=each.team,
        )
        for each in await carry_out(tool, call)
    ]
    shown = page(found, call.tokens, place_of(call.cursor))
    return Entries(entries=shown.items, next_cursor=shown.next_cursor)


async def propose(tool: Tool, call: Call) -> Proposed:
    """Propose that a team knows what a note says."""
    made = await carry_out(tool, call)
    return Proposed(proposal_id=made.id, status=made.status.lower())


KNOWING: Final = (
    Tool(
        name="commons.query",
        title="What the team knows",
        about="Ask the shared knowledge of the team: facts, rules and agreements that members "
        "shared with each other. When the user's own memory has no answer.",
        command=ListKnowledge,
        answer=Entries,
        run=query,
        params=(
            Param(name="topic", of="topic", about="What to look for, in plain words."),
            Param(name="domain", of="domain", about="Only in this domain and below it."),
            Param(name="user_role", of="role", about="Only what is for this agent of the user."),
            Param(name="k", of="k", about="How many entries at most."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="commons.propose_knowledge",
        title="Propose a note to the team",
        about="Share an insight with colleagues: propose what the whole team should know. The "
        "user consents first, then an orchestrator decides. Leave out names, addresses, "
        "numbers and ids of people: a text that may tell of somebody is refused.",
        command=ProposeKnowledge,
        answer=Proposed,
        run=propose,
        params=(
            Param(name="source_note_id", of="noteId", about="The note that says it."),
            Param(name="content", of="content", about="The text for the team; else the note's."),
            Param(name="domain", of="domain", about="Where it belongs; else the note's domain."),
            Param(name="team", of="team", about="If the user is in several."),
        ),
        frame=("agent_id", "user_id"),
    ),
)
