"""The job `update_expertise` (MUMA 6.3): updates the index of topics that finds experts."""

from collections.abc import Mapping, Sequence
from typing import Final

from graphmem.services.context import Context
from graphmem.services.jobs.running import Beat
from graphmem.store import expertise as store
from graphmem.store.jobs import next_note

PAGE: Final = 2_500  # notes read by one query
UNUSED: Final = 1_000  # topics deleted in one transaction, which no caller waits for


async def update_expertise(context: Context, beat: Beat) -> Mapping[str, int]:
    """Index all notes in the order of their ids; returns the counts of the run.

    A second run finds nothing to change. The topics of a note depend on that note alone.
    """
    beat.counts.update(dict.fromkeys(("notes", "topicsDeleted"), 0))
    graph = context.graph

    async def index(batch: Sequence[store.UnindexedNote]) -> None:
        rows = await graph.write(store.index_step(batch))
        beat.counts["notes"] += rows[0][0]["indexed"]

    async for last, unread in beat.pages(
        lambda after, limit: store.unread_notes(graph, after, limit),
        PAGE,
        after=beat.place,
        step_over=lambda after: next_note(graph, after),
    ):
        for batch in beat.pace.batches("index", unread):
            await beat.each(batch, index)
            await beat()
        await beat(last)
    while deleted := await store.delete_unused_topics(context.graph, UNUSED):
        beat.counts["topicsDeleted"] += deleted
        await beat()
    return beat.counts
