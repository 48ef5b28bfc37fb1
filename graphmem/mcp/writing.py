"""The tools of `memory` that change it."""

from dataclasses import dataclass
from typing import Final

from graphmem.errors import NotFound
from graphmem.mcp.answers import text_page, word
from graphmem.mcp.found import CoreText
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.core import SetCoreBlock
from graphmem.operations.commands.daemon import Forgotten
from graphmem.operations.commands.history import RevertNote
from graphmem.operations.commands.notes import (
    Forget,
    LinkNotes,
    Pin,
    Remember,
    Restore,
    Revise,
)
from graphmem.operations.commands.recall import GiveFeedback
from graphmem.operations.commands.rules import SetVisibility


@dataclass(frozen=True, kw_only=True)
class WriteDone:
    """The result of a write."""

    note_id: str | None = None
    proposal_id: str | None = None
    operation_performed: str
    assigned_visibility: str | None = None
    reason: str
    secrets: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Done:
    """The success of a call."""

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
        secrets=tuple(f"{each.kind}: {each.action.lower()}" for each in done.secrets) or None,
    )


async def revise(tool: Tool, call: Call) -> NewVersion:
    """Change a note."""
    note = await carry_out(tool, call)
    return NewVersion(note_id=note.id, version=note.version)


async def set_core(tool: Tool, call: Call) -> CoreText:
    """Write a block of core memory."""
    made = await carry_out(tool, call)
    part, _ = text_page(made.text, call.tokens)
    return CoreText(text=part, token_count=made.token_count)


async def forget(tool: Tool, call: Call) -> Forgotten:
    """Archive a note and answer as the daemon's route does; a note that does not exist, or that the
    viewer may not read, is not a success."""
    try:
        done = await carry_out(tool, call)
    except NotFound as error:
        return Forgotten(success=False, message=error.message)
    if done.forgotten == 0:
        return Forgotten(success=False, message="nothing was forgotten")
    return Forgotten(success=True, message="memory forgotten")


async def succeed(tool: Tool, call: Call) -> Done:
    """Run the command, for tools that only report success."""
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


NOTE: Final = Param(name="note_id", of="id", required=True)
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
            Param(name="importance", of="importance", about="From 0 to 1."),
            Param(
                name="domain",
                of="domain",
                about="A path such as business/sales; found if left out.",
            ),
            Param(
                name="visibility",
                of="visibility",
                about="scoped: agents of this domain; private: you alone. Leave it out unless the "
                "user said so.",
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
            Param(name="confidence", of="confidence", about="From 0 to 1."),
            Param(
                name="session_id",
                of="sessionId",
                about="Your open session: it stays in it.",
            ),
            Param(
                name="idempotency_key",
                of="idempotencyKey",
                about="Repeated with it, a write is done once.",
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
            Param(name="title", of="title"),
            Param(name="tags", of="tags", about="All of its tags."),
            Param(name="domain", of="domain", about="Its new domain."),
            Param(name="importance", of="importance", about="From 0 to 1."),
            Param(
                name="expected_version",
                of="expectedVersion",
                about="As you read it: refused if it was changed since.",
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
        answer=Forgotten,
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
        name="memory.revert",
        title="Go back to an earlier version",
        about="Take back a change: give a note the text that it had at an earlier version, as "
        "memory.history shows. Only for the user in person.",
        command=RevertNote,
        answer=NewVersion,
        run=revise,
        params=(NOTE, Param(name="version", of="version", about="The one to go back to.")),
        destructive=True,
    ),
    Tool(
        name="memory.set_core",
        title="Write the user's profile",
        about="Set the lines of one part of the user's own profile, which every session begins "
        "with: identity, context, persona or critical. Lines that you leave out are taken away.",
        command=SetCoreBlock,
        answer=CoreText,
        run=set_core,
        params=(
            Param(name="block", of="name", about="identity, context, persona or critical."),
            Param(name="text", of="text", about="All of its lines, one below the other."),
        ),
        destructive=True,
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
            Param(name="reason", of="reason"),
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
            Param(name="visibility", of="visibility", about="Who may read them."),
            Param(name="note_id", of="id", about="One note."),
            Param(name="domain", of="domain", about="All notes of a domain, now and later."),
        ),
        idempotent=True,
    ),
)
