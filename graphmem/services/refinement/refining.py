"""What an LLM adds to a note that the rules have made, and that it may not touch.

The note is written before the LLM hears of it, and stays as it is when anything fails."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from graphmem.ai.llm_usage import Usage
from graphmem.domain.ids import name_key
from graphmem.domain.notes import Note, NoteDraft
from graphmem.errors import Stale
from graphmem.language.refinement import Refinement, Suggestion, refine, text_seen, without_known
from graphmem.services.context import Context
from graphmem.services.refinement.opinions import ACTOR, access_to, decide_unclear
from graphmem.services.refinement.queue import Task, text_digest
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.mentions import Written, mentioned
from graphmem.store import notes
from graphmem.store.changes import Mentions
from graphmem.store.graph import Step
from graphmem.store.refining import Known, end_step, read_known, spend_step
from graphmem.store.rows import MentionRow

if TYPE_CHECKING:  # slow to import, and most have no LLM
    from graphmem.ai.llm import Llm

ATTEMPTS = 3  # when others change the note at the same time
_FIELDS = ("context", "keywords", "tags", "importance", "visibility")

log = structlog.get_logger(__name__)


async def refine_note(context: Context, llm: "Llm", task: Task) -> Note | None:
    """Ask the LLM about one note and write what is accepted, then about what the rules left unclear
    between it and another; the note as it is then, None when nothing changed. Raises Unavailable
    when the graph does not answer."""
    note = await _load(context, task)
    if note is None:
        await context.graph.write(end_step(task.note))
        return None
    described = await llm.describe(text_seen(note))
    if described.said is None:
        log.info("the LLM did not refine a note", note=note.id, problem=described.problem)
        if described.usage.calls:  # else the LLM is left alone: the note goes on waiting
            await _end(context, llm, task, described.usage)
        return None
    refined = await _refined(context, llm, task, note, described.said, described.usage)
    if not task.compare:
        return refined
    current, left = refined or note, llm.calls_left(described.usage)
    usage, decided = await decide_unclear(context, llm, current, left)
    if usage.calls:
        await context.graph.write(_spent(llm, task.note, usage))
    if decided:
        audiences = [current.audience.key]
        loaded = await notes.load_notes(context.graph, [note.id], audiences, context.clock())
        refined = loaded.get(note.id, refined)
    return refined


async def _refined(
    context: Context, llm: "Llm", task: Task, first: Note, said: Suggestion, usage: Usage
) -> Note | None:
    """Write what is accepted, and that the note waits no longer; None when nothing changed."""
    note: Note | None = first
    for _ in range(ATTEMPTS):
        if note is None:
            break
        leave = task.leave if note.version == task.version else task.leave.after_a_change()
        # Many words take some milliseconds to check, which nobody else should wait for.
        refinement = await asyncio.to_thread(refine, note, said, leave)
        known = await read_known(context.graph, note)
        refinement = without_known(refinement, known.introduced, known.relations)
        if not refinement.changed:
            break
        try:
            return await _write(context, llm, note, refinement, known, usage)
        except Stale:  # somebody changed the note since; their word counts
            note = await _load(context, task)
    await _end(context, llm, task, usage)
    return None


async def _end(context: Context, llm: "Llm", task: Task, usage: Usage) -> None:
    await context.graph.write(_spent(llm, task.note, usage), end_step(task.note))


async def _load(context: Context, task: Task) -> Note | None:
    """The note, if it still has the text and the readers that it was written with."""
    now = context.clock()
    loaded = await notes.load_notes(context.graph, [task.note], [task.audience], now)
    note = loaded.get(task.note)
    if note is None or note.status not in notes.LIVE_STATUSES or text_digest(note) != task.text:
        return None
    return note


async def _write(
    context: Context, llm: "Llm", note: Note, refinement: Refinement, known: Known, usage: Usage
) -> Note:
    """Write all that was accepted in one transaction. Raises Stale if the note has changed."""
    changed = {name: v for name in _FIELDS if (v := getattr(refinement, name)) is not None}
    now, told = context.clock(), dict[str, object]()
    if refinement.entities:
        told["entities"] = [each.name for each in refinement.entities]
    if refinement.relations:
        told["relations"] = [[r.subject, r.predicate, r.object] for r in refinement.relations]
    data = {"fields": list(refinement.changed)}
    working = WorkingNote.of(note).changed(
        replace(note, **changed), now, "EDIT", "note refined", data, told=told
    )
    said = await _mentions(context, working.note, refinement, known)
    changes = ChangeSet.of(now, [working], mentions=said)
    done = [_spent(llm, note.id, usage), end_step(note.id)]
    await apply(context, access_to(note), changes, actor=ACTOR, after=done)
    return working.note


async def _mentions(context: Context, note: Note, refinement: Refinement, known: Known) -> Mentions:
    """Mentions and relations that are new; what the note introduces already stays as it is, and
    what was found in it by name becomes introduced."""
    draft = NoteDraft(
        content=note.content,
        entities=tuple(replace(each, of_text=True) for each in refinement.entities),
        relations=tuple(replace(each, of_text=True) for each in refinement.relations),
    )
    if not (draft.entities or draft.relations):
        return Mentions()
    found = await mentioned(context, note.user, [Written(note, draft)])
    added = {name_key(each.name) for each in refinement.entities}
    new = [row for row in found.mentions if row.note_id != note.id or row.key in added]
    return replace(found, mentions=[_counted(row, known) for row in new])


def _counted(row: MentionRow, known: Known) -> MentionRow:
    """A mention that is there keeps its count."""
    return replace(row, count=0) if row.given and row.key in known.found else row


def _spent(llm: "Llm", note_id: str, usage: Usage) -> Step:
    return spend_step(
        note_id,
        model=llm.model,
        calls=usage.calls,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=llm.prices.cost(usage),
    )
