"""Archives notes in a job: in small transactions, with an event for those who may read each."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.errors import Stale
from graphmem.services.context import Context
from graphmem.services.jobs.running import Beat
from graphmem.store.archiving import ChosenNote, archive_row, runs_of
from graphmem.store.changes import change_step
from graphmem.store.events import append_step, event_row
from graphmem.store.rows import EventRow


async def archive(
    context: Context,
    beat: Beat,
    found: Sequence[ChosenNote],
    *,
    actor: str,
    summary: str,
    now: datetime,
) -> int:
    """Archive notes as an actor, with `summary` in their events; returns how many.

    A note that somebody changes meanwhile is left for the next run, with the few that are changed
    together with it.
    """
    done = 0

    async def write(batch: Sequence[ChosenNote]) -> None:
        nonlocal done
        user = batch[0].user
        rows = [archive_row(note, actor) for note in batch]
        step = change_step(rows, user=user, agent=None, actor=actor, now=now)
        events = [_event(note, actor, summary, now) for note in batch]
        try:
            await context.graph.write(step, append_step(user, events))
        except Stale:
            return
        done += len(batch)
        context.signal(user)

    for notes in runs_of(found):
        for batch in beat.pace.batches("archive", notes):
            await beat()
            await beat.each(batch, write)
    return done


def _event(note: ChosenNote, actor: str, summary: str, now: datetime) -> EventRow:
    return event_row(
        "ARCHIVE",
        summary,
        audience=note.audience,
        actor=actor,
        at=now,
        subject_id=note.id,
        domain=note.domain,
    )
