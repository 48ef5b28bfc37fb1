"""The tools of `memory` that change something."""

from dataclasses import dataclass
from typing import Final

from graphmem.errors import NotFound
from graphmem.mcp.answers import page, place_of, text_page, word
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.conflicts import Consolidate
from graphmem.operations.commands.notes import (
    Forget,
    LinkNotes,
    Pin,
    Remember,
    Restore,
    Revise,
    SetVisibility,
)
from graphmem.operations.commands.recall import GiveFeedback
from graphmem.operations.commands.reflection import ListReflections, Reflect
from graphmem.operations.presenters.reflection import Reflection


@dataclass(frozen=True, kw_only=True)
class WriteDone:
    """What became of a note."""

    note_id: str | None = None
    proposal_id: str | None = None
    operation_performed: str
    assigned_visibility: str | None = None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Done:
    """Whether it was done."""

    success: bool


@dataclass(frozen=True, kw_only=True)
class Linked:
    """A link between two notes."""

    link_id: str


@dataclass(frozen=True, kw_only=True)
class NewVersion:
    """A note that was changed."""

    note_id: str
    version: int


@dataclass(frozen=True, kw_only=True)
class ReadersSet:
    """Notes with other readers."""

    updated_count: int
    note_ids: tuple[str, ...]
    truncated: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Consolidated(OfMemory):
    """What consolidating did."""

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
    """What going through the memory proposes; the user decides."""

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
IDS: Final = 40  # of notes that an answer names


async def write(tool: Tool, call: Call) -> WriteDone:
    """Remember."""
    done = await carry_out(tool, call)
    return WriteDone(
        note_id=done.note_id,
        proposal_id=done.proposal.id if done.proposal else None,
        operation_performed=done.operation.value,
        assigned_visibility=word(done.note.visibility) if done.note else None,
        reason=done.reason,
    )


async def revise(tool: Tool, call: Call) -> NewVersion:
    """Change a note."""
    note = await carry_out(tool, call)
    return NewVersion(note_id=note.id, version=note.version)


async def forget(tool: Tool, call: Call) -> Done:
    """Archive a note; one that is not there, or not for this viewer, is no success."""
    try:
        done = await carry_out(tool, call)
    except NotFound:
        return Done(success=False)
    return Done(success=done.forgotten > 0)


async def succeed(tool: Tool, call: Call) -> Done:
    """Carry it out, for tools that only tell that it was done."""
    await carry_out(tool, call)
    return Done(success=True)


async def link(tool: Tool, call: Call) -> Linked:
    """Link two notes."""
    return Linked(link_id=(await carry_out(tool, call)).id)


async def move(tool: Tool, call: Call) -> ReadersSet:
    """Change who may read."""
    done = await carry_out(tool, call)
    return ReadersSet(
        updated_count=done.updated_count,
        note_ids=done.note_ids[:IDS],
        truncated=len(done.note_ids) > IDS or None,
    )


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
    return Reflections(reflections=(_shown(made, call.tokens),))


async def list_reflections(tool: Tool, call: Call) -> Reflections:
    """Reflections with some of their items."""
    found = await carry_out(tool, call)
    shown = page(
        [_shown(each, call.tokens // 2) for each in found], call.tokens, place_of(call.cursor)
    )
    return Reflections(reflections=shown.items, next_cursor=shown.next_cursor)


def _shown(made: Reflection, tokens: int) -> ShownReflection:
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


NOTE: Final = Param(name="note_id", of="id", about="The note's id.", required=True)
WRITING: Final = (
    Tool(
        name="memory.write",
        title="Remember this",
        about="Remember something that the user said: 'my sister is called Ada', 'I like tea in "
        "the morning', 'we decided to ship on Monday', 'please always answer in English', "
        "'the office moves in June'. Call it whenever the user states a fact about "
        "themselves, their people, plans or projects, a preference or a decision, corrects "
        "you, or says 'note that', 'keep in mind'. What is known already is not written "
        "twice: operation_performed tells what became of it.",
        command=Remember,
        answer=WriteDone,
        run=write,
        params=(
            Param(
                name="content",
                of="content",
                about="One fact, as a full sentence that stands without this conversation: names "
                "instead of 'he', dates instead of 'tomorrow'. No passwords or keys.",
            ),
            Param(name="importance", of="importance", about="From 0 to 1; judged if left out."),
            Param(
                name="domain",
                of="domain",
                about="A path such as business/sales; found if left out.",
            ),
            Param(
                name="visibility",
                of="visibility",
                about="Who may read it: open, scoped (agents of this domain), private (you alone), "
                "user-only. Leave it out unless the user said so.",
            ),
            Param(name="title", of="title", about="A short title, or what it is about."),
            Param(name="tags", of="tags", about="Tags; made if left out."),
            Param(
                name="kind",
                of="kind",
                about="episodic: what happened; semantic: what is so; procedural: how it is done.",
            ),
            Param(name="occurred_at", of="occurredAt", about="When it happened."),
            Param(name="episode", of="episode", about="An id of the conversation it is from."),
            Param(name="speaker", of="speaker", about="Who said it."),
            Param(name="confidence", of="confidence", about="How sure it is, from 0 to 1."),
            Param(
                name="session_id",
                of="sessionId",
                about="Your open session: it stays yours until that is closed.",
            ),
            Param(
                name="idempotency_key",
                of="idempotencyKey",
                about="A key of yours: a write that is repeated with it is done once.",
            ),
        ),
    ),
    Tool(
        name="memory.revise",
        title="Correct a note",
        about="Change the text of a note that is wrong or out of date: 'that is wrong', 'it is not "
        "so any more', 'it has changed'. The old text is kept as an earlier version.",
        command=Revise,
        answer=NewVersion,
        run=revise,
        params=(
            NOTE,
            Param(name="content", of="content", about="Its new text."),
            Param(name="title", of="title", about="Its new title."),
            Param(name="tags", of="tags", about="All of its tags."),
            Param(name="domain", of="domain", about="Its new domain."),
            Param(name="importance", of="importance", about="From 0 to 1."),
            Param(
                name="expected_version",
                of="expectedVersion",
                about="The version that you read: refused if somebody changed it since.",
            ),
        ),
        destructive=True,
    ),
    Tool(
        name="memory.forget",
        title="Forget, delete a note",
        about="Forget something: 'forget what I told you', 'delete that', 'erase it from memory'. "
        "Only when the user asks. Find its id by memory.query; memory.restore undoes it.",
        command=Forget,
        answer=Done,
        run=forget,
        params=(NOTE, Param(name="reason", of="reason", about="Why, for the history.")),
        destructive=True,
        idempotent=True,
    ),
    Tool(
        name="memory.restore",
        title="Undo forgetting",
        about="Bring back a note that was forgotten, deleted or removed by mistake: 'undo that'.",
        command=Restore,
        answer=Done,
        run=succeed,
        params=(NOTE,),
        idempotent=True,
    ),
    Tool(
        name="memory.link",
        title="Connect two notes",
        about="Link two notes as related: the one contradicts, causes, explains or follows from "
        "the other; 'these two belong together', 'this is because of that'.",
        command=LinkNotes,
        answer=Linked,
        run=link,
        params=(
            Param(name="source_id", of="source", about="The note that the link begins at."),
            Param(name="target_id", of="target", about="The note that it leads to."),
            Param(name="relationship_label", of="kind", about="A word or two."),
            Param(name="reason", of="reason", about="Why."),
        ),
        idempotent=True,
    ),
    Tool(
        name="memory.feedback",
        title="Feedback on an answer",
        about="Say whether an answer helped: 'thanks, that is right', 'no, that was of no use'. "
        "Which of its notes were right, useful and used, or wrong and useless. Those that "
        "helped are kept longer. The last word counts.",
        command=GiveFeedback,
        answer=Done,
        run=succeed,
        params=(
            Param(name="recall_id", of="recallId", about="The recall_id of the answer."),
            Param(name="used_note_ids", of="used", about="The notes that you used."),
            Param(name="helpful", of="helpful", about="false: they were used and were wrong."),
        ),
        idempotent=True,
    ),
    Tool(
        name="memory.pin",
        title="Pin a note: it never fades",
        about="Make a note permanent: 'never forget this', 'always keep that', for what matters as "
        "much as an allergy or an emergency contact.",
        command=Pin,
        answer=Done,
        run=succeed,
        params=(
            NOTE,
            Param(name="pinned", of="pinned", about="false lets it fade again."),
            Param(name="visibility", of="visibility", about="Who may read it from now on."),
        ),
        idempotent=True,
    ),
    Tool(
        name="memory.set_visibility",
        title="Who may read: privacy",
        about="Make notes private, secret, open, or readable for some agents only: change who may "
        "see a note, or all notes of a domain and those to come. Give note_id or domain. Only "
        "when the user asks; you can't give more readers than your own rights allow.",
        command=SetVisibility,
        answer=ReadersSet,
        run=move,
        params=(
            Param(name="visibility", of="visibility", about="open, scoped, private or user-only."),
            Param(name="note_id", of="id", about="One note."),
            Param(name="domain", of="domain", about="All notes of a domain, now and later."),
        ),
        idempotent=True,
    ),
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
        params=(Param(name="status", of="status", about="Only those in this state."),),
        frame=("agent_id", "token_budget", "cursor"),
    ),
)
