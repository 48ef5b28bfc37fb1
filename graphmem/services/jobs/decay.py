"""The job `sweep_decay` (MUMA 7.1, Moltbot 9): decay of notes.

Notes fade, sleep, go to cold storage, and come back when they are used.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

from graphmem.domain.notes import Status
from graphmem.services.context import Context
from graphmem.services.job_runs.batches import run_pages
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store import decay as store

COUNTS: Final = ("notes", "pruneCandidates", "consolidationCandidates", "changed", *Status)


async def sweep_decay(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Go through all notes, audience by audience; returns the counts of the run.

    A note's status depends on that note alone, so nobody can learn of other notes by it. Each
    change has a DECAY event for those who may read the note, and a revision. Pinned, load-bearing
    and core notes stay active; for knowledge and skills of a team it counts who verified or used
    them, and its members get the event. A note that somebody changes meanwhile is left for the next
    run.
    """
    beat.counts.update(dict.fromkeys(COUNTS, 0))
    run = partial(
        store.sweep,
        context.graph,
        now=context.clock(),  # one time for all statements: where each ends depends on hidden notes
        d=context.ranking.act_r.d,
        decay=context.ranking.decay,
    )
    await run_pages(
        context,
        beat,
        run,
        step_over=partial(store.next_place, context.graph),
        owner_of=store.owner_of,
    )
    beat.counts["changed"] = sum(beat.counts[status] for status in Status)
    return beat.counts
