"""The job `expire_notes` (DAEM-9): notes whose time is over are archived."""

from collections.abc import Mapping
from typing import Final

from graphmem.services.context import Context
from graphmem.services.jobs.archiving import archive
from graphmem.services.jobs.running import Beat
from graphmem.services.jobs.since import since_last_run
from graphmem.store import archiving as store

NAME: Final = "expire_notes"
EXPIRER: Final = "system:expiry"  # the actor; no user or agent has a colon in its id
PAGE: Final = 500  # notes read by one query


async def expire_notes(context: Context, beat: Beat) -> Mapping[str, int]:
    """Archive the notes whose time is over; the counts of the run. A read leaves them out from that
    time on anyway. What ended a day before the last whole run was archived by that one."""
    beat.counts.update({"expired": 0})
    now, after = context.clock(), beat.place
    since = await since_last_run(context, NAME)
    while page := await store.expired(context.graph, after, since=since, now=now, limit=PAGE):
        told = "note expired"
        done = await archive(context, beat, page, actor=EXPIRER, told=told, now=now)
        beat.counts["expired"] += done
        after = page[-1].id
        await beat(after)
    return beat.counts
