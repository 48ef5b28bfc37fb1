"""The job `update_expertise` (MUMA 6.3): the topics of notes, and who knows about them."""

from collections.abc import Mapping, Sequence
from typing import Final

from graphmem.domain.owners import Owner
from graphmem.services.context import Context
from graphmem.services.job_runs.batches import run_job_statement
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store import expertise as store
from graphmem.store.jobs import next_audience, next_note

NAME: Final = "update_expertise"
PAGE: Final = 2_500  # notes read by one query
AUDIENCES: Final = 20  # whose edges one statement draws
LARGER: Final = 10  # times as many edges are drawn in a transaction as notes are changed
UNUSED: Final = 1_000  # topics deleted in one transaction, which no caller waits for
_OF_AUDIENCE: Final = ":"  # in the key of an audience, but in no id of a note


async def update_expertise(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Index all notes in the order of their ids, then draw who knows about what by the notes of
    each audience; returns the counts of the run.

    A second run finds nothing to change. The topics of a note depend on that note alone, and the
    `KNOWS_ABOUT` edges of an audience on the notes of that audience alone.
    """
    beat.counts.update(dict.fromkeys(("notes", "audiences", "edges", "topicsDeleted"), 0))
    if _OF_AUDIENCE not in beat.place:
        await _index_notes(context, beat)
    await _draw_knowledge(context, beat)
    while deleted := await store.delete_unused_topics(context.graph, UNUSED):
        beat.counts["topicsDeleted"] += deleted
        await beat.checkpoint()
    return beat.counts


async def _index_notes(context: Context, beat: JobHeartbeat) -> None:
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
            await beat.checkpoint()
        await beat.checkpoint(last)


async def _draw_knowledge(context: Context, beat: JobHeartbeat) -> None:
    """Draw the edges of the audiences whose notes have changed."""
    await run_job_statement(
        context,
        beat,
        NAME,
        store.parameters_of_knowledge(context.clock(), since=beat.started_at),
        step=next_audience,
        most=AUDIENCES,
        larger=LARGER,
        after=beat.place if _OF_AUDIENCE in beat.place else "",
        owner_of=lambda audience: Owner.of_audience(audience).name,
    )
