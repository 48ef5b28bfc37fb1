"""The job `expire_notes` (DAEM-9): archives notes whose time is over."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from graphmem.services.context import Context
from graphmem.services.jobs.archiving import archive
from graphmem.services.jobs.narrowing import in_order_of, next_unreadable
from graphmem.services.jobs.running import Beat
from graphmem.services.jobs.since import since_last_run
from graphmem.store import archiving as store
from graphmem.store.jobs import next_note

NAME: Final = "expire_notes"
EXPIRER: Final = "system:expiry"  # the actor; no user or agent has a colon in its id
PAGE: Final = 500  # notes read by one query


async def expire_notes(context: Context, beat: Beat) -> Mapping[str, int]:
    """Archive the notes whose time is over; returns the counts of the run.

    Reads leave them out from that time on anyway. What ended a day before the last complete run was
    archived by that run.
    """
    beat.counts.update({"expired": 0})
    now, graph = context.clock(), context.graph
    since = await since_last_run(context, NAME)
    read = partial(store.list_expired_notes, graph, since=since, now=now)
    async for last, page in beat.pages(
        in_order_of(lambda after, limit: read(after, limit=limit), lambda note: note.id),
        PAGE,
        after=beat.place,
        step_over=lambda after: next_unreadable(
            after, lambda up_to: read(after, limit=1, last=up_to), partial(next_note, graph)
        ),
    ):
        summary = "note expired"
        done = await archive(context, beat, page, actor=EXPIRER, summary=summary, now=now)
        beat.counts["expired"] += done
        await beat(last)
    return beat.counts
