"""Previewing a write: what would be read in a text and what would become of it; nothing changes."""

from dataclasses import dataclass

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import EntityDraft, Note, NoteDraft, Operation, RelationDraft, WriteMode
from graphmem.services.context import Access, Context
from graphmem.services.proposals.proposing import WAITS, as_writer
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.deciding import may_reread
from graphmem.services.writing.mentions import check_names
from graphmem.services.writing.plans import Plan
from graphmem.services.writing.remember import Remembered, encode, prepare, results_of
from graphmem.services.writing.secrets import FoundSecret


@dataclass(frozen=True, kw_only=True)
class Preview:
    """The outcome that a write would have: `read` is the note as it would be by itself, `note` the
    one that would come of it, `affected` those that would change with it. Until it is written, a
    new note's id belongs to nothing. An agent that may not read what it would write gets no
    `read`: it would learn of rules by it."""

    operation: Operation
    reason: str
    read: Note | None
    entities: tuple[EntityDraft, ...]
    relations: tuple[RelationDraft, ...]
    note: Note | None
    affected: tuple[Note, ...]
    secrets: tuple[FoundSecret, ...] = ()


async def preview(context: Context, access: Access, draft: NoteDraft, mode: WriteMode) -> Preview:
    """Return what `remember` would do with a draft, by the same steps, none of which is written.

    Raises what `remember` raises, and Invalid for a session, whose notes are kept as they are said.
    """
    now = context.clock()
    check_names([draft])
    plan = await context.texts.run(
        lambda _: plan_of(context, access, 0, uuid7(now), draft, mode, now)
    )
    result = await _decide(context, access, plan)
    if result.error is not None:
        raise result.error

    def if_readable(note: Note | None) -> Note | None:
        shown = access.viewer.agent is None or note is None or may_reread(access, note)
        return note if shown else None

    assert result.operation is not None
    return Preview(
        operation=result.operation,
        reason=result.reason,
        read=if_readable(plan.note),
        entities=plan.draft.entities,
        relations=plan.draft.relations,
        note=if_readable(result.note),
        affected=result.affected,
        secrets=result.secrets,
    )


async def _decide(context: Context, access: Access, plan: Plan) -> Remembered:
    agent, now = access.viewer.agent, plan.note.created_at
    if access.viewer.proposes and agent is not None:
        if not context.reviewing.commits_at_once(agent, plan.note.confidence):
            return Remembered(operation=Operation.PROPOSE, reason=WAITS, secrets=plan.secrets)
        access = as_writer(access)
    require_writer(access)
    vectors = encode(context, [plan])
    try:
        choices, _ = await prepare(context, access, [plan], vectors, now)
    finally:
        for piece in vectors:
            piece.cancel()  # where it ended before the text was encoded
    return (await results_of(context, access, choices, now))[plan.index]
