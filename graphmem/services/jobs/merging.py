"""The job `merge_entities`: merges the entities that rules have held to be one for long enough."""

from collections.abc import Mapping

from graphmem.services.context import Context
from graphmem.services.jobs.batches import one_by_one, run_pages
from graphmem.services.jobs.running import Beat
from graphmem.store.batches import Batches, BatchSize
from graphmem.store.jobs import next_verdict
from graphmem.store.resolution import carry_out_verdicts
from graphmem.store.rows import LAST_ID


async def merge_entities(context: Context, beat: Beat) -> Mapping[str, int]:
    """Merge what rules hold to be one and nobody has refused; returns the counts of the run.

    A merge is for the readers by whose notes the rules hold so, and can be undone. A verdict whose
    names are in no note of its readers any more is dropped.
    """
    beat.counts.update(merged=0, dropped=0)
    now = context.clock()

    async def run(after: str, limit: int, size: BatchSize, last: str = LAST_ID) -> Batches:
        return await carry_out_verdicts(context.graph, after, size, now=now, limit=limit, last=last)

    await run_pages(context, beat, run, step_over=one_by_one(context, run, next_verdict))
    return beat.counts
