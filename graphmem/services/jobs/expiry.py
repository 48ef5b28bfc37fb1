"""The job `expire_notes` (DAEM-9): archives notes whose time is over."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from graphmem.services.context import Context
from graphmem.services.job_runs.batches import one_by_one, run_pages
from graphmem.services.job_runs.last_success import since_last_run
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store.archiving import archive_expired
from graphmem.store.batches import Batches, BatchSize
from graphmem.store.rows import LAST_ID

NAME: Final = "expire_notes"


async def expire_notes(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Archive the notes whose time is over; returns the counts of the run.

    Reads leave them out from that time on anyway. What ended a day before the last complete run was
    archived by that run.
    """
    beat.counts.update({"expired": 0})
    expire = partial(
        archive_expired,
        context.graph,
        since=await since_last_run(context, NAME),
        now=context.clock(),
    )

    async def run(after: str, limit: int, size: BatchSize, last: str = LAST_ID) -> Batches:
        return await expire(after, size, limit=limit, last=last)

    await run_pages(context, beat, run, step_over=one_by_one(context, run))
    return beat.counts
