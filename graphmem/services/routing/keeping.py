"""Keeping what `consult` found with others as a note of one's own."""

from graphmem.domain.ids import digest, uuid7
from graphmem.domain.notes import FOUND_WITH, Note, NoteDraft, Source, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.actors import reopen_access
from graphmem.services.commons.shared import actor_of
from graphmem.services.context import Access, Context, events_step, missing
from graphmem.services.reading.notes import require_note
from graphmem.services.recall.answer_audiences import load_answer_audiences
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.remember import encode, prepare
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import expertise as store
from graphmem.store import feedback
from graphmem.store.events import append_each_step, event_row
from graphmem.store.notes import load_notes
from graphmem.store.rows import EventRow


async def keep(
    context: Context, access: Access, recall_id: str, note_id: str, domain: str | None
) -> Note:
    """Keep what a consultation of the viewer found, as long as its owner shares it.

    The owner is notified. From then on it is the viewer's note: it stays when the share ends, for
    nobody changes a note that they can't read. It is PRIVATE, and never promoted, as its owner did
    not consent.

    Raises NotFound for a recall that does not exist or belongs to somebody else, Invalid for a note
    that it did not find with others or that is no longer shared, Forbidden for an agent that may
    only propose.
    """
    require_writer(access)
    await context.log.write_recall(recall_id)
    return await _keep(context, access, recall_id, note_id, domain)


@repeat_while_stale
async def _keep(
    context: Context, access: Access, recall_id: str, note_id: str, domain: str | None
) -> Note:
    now = context.clock()
    found = await _load_found(context, access, recall_id, note_id)
    draft = _make_draft(access, found, recall_id, domain)
    plan = await context.texts.run(
        lambda _: plan_of(context, access, 0, uuid7(now), draft, WriteMode.VERBATIM, now)
    )
    choices, steps = await prepare(context, access, [plan], encode(context, [plan]), now)
    choice = choices[0]
    if choice.error is not None:
        raise choice.error
    if not choice.replay:
        tie = store.keep_step(choice.note_id, found, recall_id, now)
        owner = append_each_step({found.user: _event(context, access, found)})
        await context.graph.write(*steps, tie, owner, events_step(access, []))
        context.signal(access.viewer.user)
        context.signal(found.user)
    if choice.note is not None:  # a rule may keep it from the agent that wrote it
        return choice.note
    return await require_note(context, await reopen_access(context, access), choice.note_id)


async def _load_found(context: Context, access: Access, recall_id: str, note_id: str) -> Note:
    """Load the note as it is now, for a viewer who may use it."""
    now, viewer = context.clock(), access.viewer
    shared = [each.key for each in (await load_answer_audiences(context, access)).shared]
    agent = viewer.agent.id if viewer.agent else None
    logged = await feedback.get_logged(
        context.graph, recall_id, viewer.user, agent, (), shared, now
    )
    if logged is None:
        raise missing("recall")
    loaded = await load_notes(context.graph, [note_id], shared, now)
    if note_id not in logged.notes or note_id not in loaded:
        raise Invalid("noteId names nothing that this recall found with others")
    return loaded[note_id]


def _make_draft(access: Access, found: Note, recall_id: str, domain: str | None) -> NoteDraft:
    """Return a draft of its content, its time, and who knew it."""
    agent = {"agent": found.author} if found.author else {}
    request_key = digest(repr((recall_id, found.id, found.version, domain)), 32)
    return NoteDraft(
        content=found.content,
        title=found.title,
        kind=found.kind,
        type=found.type,
        tags=found.tags,
        keywords=found.keywords,
        source=Source.TOLD,
        confidence=found.confidence,
        domain=domain or found.domain,
        visibility=Visibility.PRIVATE,
        speaker=found.speaker,
        occurred_at=found.occurred_at,
        valid_from=found.valid_from,
        valid_to=found.valid_to,
        expires_at=found.expires_at,
        # store/erasing expects this order
        metadata={FOUND_WITH: {"user": found.user, **agent}},
        idempotency_key=f"found:{request_key}",
    )


def _event(context: Context, access: Access, found: Note) -> EventRow:
    """Return the event for the owner, who is to know who has the note."""
    return event_row(
        "EDIT",
        "note kept by a member of a team",
        audience=found.audience.key,
        actor=actor_of(access.viewer),
        at=context.clock(),
        subject_id=found.id,
        domain=found.domain,
    )
