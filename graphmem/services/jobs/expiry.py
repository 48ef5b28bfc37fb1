"""The job `expire_notes` (DAEM-9): notes whose time is over are archived."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import BEGINNING
from graphmem.services.context import Context
from graphmem.services.jobs.archiving import archive
from graphmem.services.jobs.running import Beat
from graphmem.store import archiving as store
from graphmem.store.jobs import list_runs

NAME: Final = "expire_notes"
EXPIRER: Final = "system:expiry"  # the actor; no user or agent has a colon in its id
PAGE: Final = 500  # notes read by one query
MARGIN: Final = timedelta(days=1)  # before the last whole run: clocks differ, and notes were busy
LOOKED_AT: Final = 20  # newest runs, among which there may be one that did everything


async def expire_notes(context: Context, beat: Beat) -> Mapping[str, int]:
    """Archive the notes whose time is over; the counts of the run. A read leaves them out from that
    time on anyway. What ended a day before the last whole run was archived by that one."""
    beat.counts.update({"expired": 0})
    now, after = context.clock(), beat.place
    since = await _since(context)
    while page := await store.expired(context.graph, after, since=since, now=now, limit=PAGE):
        told = "note expired"
        done = await archive(context, beat, page, actor=EXPIRER, told=told, now=now)
        beat.counts["expired"] += done
        after = page[-1].id
        await beat(after)
    return beat.counts


async def _since(context: Context) -> datetime:
    runs = await list_runs(context.graph, [NAME], LOOKED_AT)
    whole = [run.started_at for run in runs if run.status is RunStatus.DONE]
    return max(whole) - MARGIN if whole else BEGINNING
