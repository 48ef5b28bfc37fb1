"""Feedback on a recall: its notes become stronger where they helped, weaker where they did not."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.domain.feedback import FeedbackChange, changes_of
from graphmem.domain.visibility import Reading, readable_keys
from graphmem.errors import Invalid
from graphmem.language.questions import without_courtesy
from graphmem.services.commons.shared import actor_of
from graphmem.services.context import Access, Context, events_step, missing
from graphmem.services.recall.answer_audiences import load_answer_audiences
from graphmem.services.recall.question_vectors import question_vector
from graphmem.services.recall.request import MAX_K
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import feedback as store
from graphmem.store.changes import same_readers_step
from graphmem.store.events import append_each_step, event_row
from graphmem.store.graph import Step
from graphmem.store.rows import EventRow


async def give_feedback(
    context: Context, access: Access, recall_id: str, used: Sequence[str], *, helpful: bool
) -> None:
    """Record which notes of a recall were used and whether they helped.

    The last feedback on a note counts, repeating it changes nothing, and notes not named keep the
    feedback that they had. For notes of others that `consult` found, the feedback counts for their
    authors as long as the notes are shared; the notes themselves get neither stronger nor weaker.

    Raises NotFound for a recall that does not exist or that somebody else asked for, Invalid for a
    note that it did not return or that the viewer may not read, and Forbidden for an agent that may
    only propose.
    """
    require_writer(access)
    if len(used) > MAX_K:
        raise Invalid(f"used may hold at most {MAX_K} notes")
    await context.log.write_recall(recall_id)
    await _record_feedback(context, access, recall_id, used, helpful=helpful)


@repeat_while_stale
async def _record_feedback(
    context: Context, access: Access, recall_id: str, used: Sequence[str], *, helpful: bool
) -> None:
    now, viewer = context.clock(), access.viewer
    # Feedback may also be about what was returned to an explicit question.
    audiences = readable_keys(viewer, access.audiences, Reading.EXPLICIT)
    shared = [each.key for each in (await load_answer_audiences(context, access)).shared]
    agent = viewer.agent.id if viewer.agent else None
    logged = await store.get_logged(
        context.graph, recall_id, viewer.user, agent, audiences, shared, now
    )
    if logged is None:
        raise missing("recall")
    if not logged.notes.keys() >= set(used):
        raise Invalid("used names a note that this recall did not return")
    before = {note: each.helpful for note, each in logged.notes.items()}
    consulted = {note for note, each in logged.notes.items() if each.consulted}
    changes = changes_of(before, used, helpful=helpful, consulted=consulted)
    if not changes and logged.helpful is helpful:
        return
    readable = [*audiences, *shared]
    question = await _question(context, logged)
    steps = [store.give_step(recall_id, helpful, changes, readable, question, now)]
    others = [c for c in changes if logged.notes[c.note].user != viewer.user]
    if changes:
        unchanged = same_readers_step({c.note: logged.notes[c.note].audience for c in changes})
        own = [_event(access, c, logged.notes, now) for c in changes if c not in others]
        steps = [
            unchanged,
            *steps,
            *_owner_events(access, others, logged.notes, now),
            events_step(access, own),
        ]
    await context.graph.write(*steps)
    for user in {viewer.user, *(logged.notes[c.note].user for c in others)} if changes else ():
        context.signal(user)


async def _question(context: Context, logged: store.Logged) -> store.JudgedQuestion | None:
    """Return the question of a recall, with the vector by which similar ones are found.

    None if the question is no longer stored, or nothing was found in the memory of the viewer who
    asked.
    """
    if logged.query is None or all(each.consulted for each in logged.notes.values()):
        return None
    return store.JudgedQuestion(
        user=logged.user,
        agent=logged.agent,
        vector=await question_vector(context.embedder, without_courtesy(logged.query)),
    )


def _owner_events(
    access: Access,
    changes: Sequence[FeedbackChange],
    notes: Mapping[str, store.Returned],
    now: datetime,
) -> list[Step]:
    """Return events for the owners of the memory in which notes were found."""
    return [
        append_each_step({notes[each.note].user: _event(access, each, notes, now)})
        for each in sorted(changes, key=lambda each: (notes[each.note].user, each.note))
    ]


def _event(
    access: Access, change: FeedbackChange, notes: Mapping[str, store.Returned], now: datetime
) -> EventRow:
    """Return an event for those who may read the note; it does not say which question was asked."""
    summary = {True: "note helped", False: "note did not help", None: "note not blamed any longer"}
    note, viewer = notes[change.note], access.viewer
    return event_row(
        "EDIT",
        summary[change.new],
        audience=note.audience,
        actor=viewer.actor if note.user == viewer.user else actor_of(viewer),
        at=now,
        subject_id=change.note,
        domain=note.domain,
        data={"helpful": change.new},
    )
