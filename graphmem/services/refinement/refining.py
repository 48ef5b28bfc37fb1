"""Refines a note with an LLM: what it adds, and what it may not change.

The note is written before it is sent to the LLM, and does not change when anything fails.
"""

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
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.mentions import Written, collect_mentions
from graphmem.services.writing.refinement_queue import Task, text_digest
from graphmem.store import notes
from graphmem.store.changes import Mentions
from graphmem.store.graph import Step
from graphmem.store.refining import Known, end_step, read_known, spend_step
from graphmem.store.rows import MentionRow

if TYPE_CHECKING:  # slow to import, and most have no LLM
    from graphmem.ai.llm import Llm

ATTEMPTS = 3  # attempts while others change the note
_FIELDS = ("context", "keywords", "tags", "importance", "visibility")

log = structlog.get_logger(__name__)


async def refine_note(context: Context, llm: "Llm", task: Task) -> Note | None:
    """Ask the LLM about one note and write what is accepted.

    Then ask about what the rules left unclear between it and another. Returns the note as it is
    then, None when nothing changed. Raises Unavailable when the graph does not answer.
    """
    note = await _load(context, task)
    if note is None:
        await context.graph.write(end_step(task.note))
        return None
    described = await llm.describe(text_seen(note))
    if described.said is None:
        log.info("the LLM did not refine a note", note=note.id, problem=described.problem)
        if described.usage.calls:  # otherwise the LLM rests, and the note waits on
            await _end_task(context, llm, task, described.usage)
        return None
    refined = await _write_accepted(context, llm, task, note, described.said, described.usage)
    if not task.compare:
        return refined
    current, remaining = refined or note, llm.calls_left(described.usage)
    usage, decided = await decide_unclear(context, llm, current, remaining)
    if usage.calls:
        await context.graph.write(_cost_step(llm, task.note, usage))
    if decided:
        audiences = [current.audience.key]
        loaded = await notes.load_notes(context.graph, [note.id], audiences, context.clock())
        refined = loaded.get(note.id, refined)
    return refined


async def _write_accepted(
    context: Context, llm: "Llm", task: Task, first: Note, said: Suggestion, usage: Usage
) -> Note | None:
    """Write what is accepted, and that the note no longer waits; None when nothing changed."""
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
        except Stale:  # somebody changed the note since; their change wins
            note = await _load(context, task)
    await _end_task(context, llm, task, usage)
    return None


async def _end_task(context: Context, llm: "Llm", task: Task, usage: Usage) -> None:
    await context.graph.write(_cost_step(llm, task.note, usage), end_step(task.note))


async def _load(context: Context, task: Task) -> Note | None:
    """Load the note, if it still has the text and the readers that it was written with."""
    now = context.clock()
    loaded = await notes.load_notes(context.graph, [task.note], [task.audience], now)
    note = loaded.get(task.note)
    if note is None or note.status not in notes.LIVE_STATUSES or text_digest(note) != task.text:
        return None
    return note


async def _write(
    context: Context, llm: "Llm", note: Note, refinement: Refinement, known: Known, usage: Usage
) -> Note:
    """Write everything that was accepted in one transaction.

    Raises Stale if the note has changed.
    """
    changed = {name: v for name in _FIELDS if (v := getattr(refinement, name)) is not None}
    now, added = context.clock(), dict[str, object]()
    if refinement.entities:
        added["entities"] = [each.name for each in refinement.entities]
    if refinement.relations:
        added["relations"] = [[r.subject, r.predicate, r.object] for r in refinement.relations]
    data = {"fields": list(refinement.changed)}
    working = WorkingNote.of(note).with_change(
        replace(note, **changed), now, "EDIT", "note refined", data, details=added
    )
    said = await _new_mentions(context, working.note, refinement, known)
    changes = ChangeSet.of(now, [working], mentions=said)
    done = [_cost_step(llm, note.id, usage), end_step(note.id)]
    await apply(context, access_to(note), changes, actor=ACTOR, after=done)
    return working.note


async def _new_mentions(
    context: Context, note: Note, refinement: Refinement, known: Known
) -> Mentions:
    """Return mentions and relations that are new.

    What the note introduces already does not change, and what was found in it by name becomes
    introduced.
    """
    draft = NoteDraft(
        content=note.content,
        entities=tuple(replace(each, of_text=True) for each in refinement.entities),
        relations=tuple(replace(each, of_text=True) for each in refinement.relations),
    )
    if not (draft.entities or draft.relations):
        return Mentions()
    found = await collect_mentions(context, note.user, [Written(note, draft)])
    added = {name_key(each.name) for each in refinement.entities}
    new = [row for row in found.mentions if row.note_id != note.id or row.key in added]
    return replace(found, mentions=[_keep_count(row, known) for row in new])


def _keep_count(row: MentionRow, known: Known) -> MentionRow:
    """Return the row with the count that an existing mention has."""
    return replace(row, count=0) if row.given and row.key in known.found else row


def _cost_step(llm: "Llm", note_id: str, usage: Usage) -> Step:
    return spend_step(
        note_id,
        model=llm.model,
        calls=usage.calls,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=llm.prices.cost(usage),
    )
