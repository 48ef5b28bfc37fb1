"""Feedback on a recall: its notes become stronger where they helped, weaker where they did not."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.domain.feedback import Change, changes_of
from graphmem.domain.visibility import Reading, readable_keys
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, events_step, missing
from graphmem.services.recall.recall import MAX_K
from graphmem.services.writing.repeating import repeated
from graphmem.store import feedback as store
from graphmem.store.changes import readers_guard_step
from graphmem.store.events import event_row
from graphmem.store.rows import EventRow


async def give_feedback(
    context: Context, access: Access, recall_id: str, used: Sequence[str], *, helpful: bool
) -> None:
    """Say which notes of a recall were used and whether they helped. The last word on a note
    counts, saying it again changes nothing, and notes not named keep what was said of them.

    Raises NotFound for a recall that is not there or that somebody else asked for, and Invalid for
    a note that it did not return or that the viewer may not read."""
    if len(used) > MAX_K:
        raise Invalid(f"used may hold at most {MAX_K} notes")
    await context.log.write_recall(recall_id)
    await _give(context, access, recall_id, used, helpful=helpful)


@repeated
async def _give(
    context: Context, access: Access, recall_id: str, used: Sequence[str], *, helpful: bool
) -> None:
    now, viewer = context.clock(), access.viewer
    # What was returned on an explicit question may be told of, too.
    audiences = readable_keys(viewer, access.audiences, Reading.EXPLICIT)
    agent = viewer.agent.id if viewer.agent else None
    logged = await store.get_logged(context.graph, recall_id, viewer.user, agent, audiences, now)
    if logged is None:
        raise missing("recall")
    if not logged.notes.keys() >= set(used):
        raise Invalid("used names a note that this recall did not return")
    found = {note: each.helpful for note, each in logged.notes.items()}
    changes = changes_of(found, used, helpful=helpful)
    if not changes and logged.helpful is helpful:
        return
    steps = [store.give_step(recall_id, helpful, changes, audiences, now)]
    if changes:
        guard = readers_guard_step({c.note: logged.notes[c.note].audience for c in changes})
        events = [_event(access, each, logged.notes, now) for each in changes]
        steps = [guard, *steps, events_step(access, events)]
    await context.graph.write(*steps)
    if changes:
        context.signal(viewer.user)


def _event(
    access: Access, change: Change, notes: Mapping[str, store.Returned], now: datetime
) -> EventRow:
    """For those who may read the note; not which question it was."""
    summary = {True: "note helped", False: "note did not help", None: "note not blamed any longer"}
    note = notes[change.note]
    return event_row(
        "EDIT",
        summary[change.new],
        audience=note.audience,
        actor=access.viewer.actor,
        at=now,
        subject_id=change.note,
        domain=note.domain,
        data={"helpful": change.new},
    )
