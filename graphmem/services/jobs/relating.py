"""The job `relate_notes` (L3, component 5): links related notes of the same readers."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Final

from graphmem.domain.notes import BEGINNING
from graphmem.domain.owners import Owner
from graphmem.services.context import Context
from graphmem.services.job_runs.batches import finish_page, run_job_statement
from graphmem.services.job_runs.last_success import since_last_run
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store.batches import run_statement
from graphmem.store.jobs import next_audience
from graphmem.store.links import parameters_of_relating

NAME: Final = "relate_notes"
COUNTS: Final = ("relatedLinks", "linksMade", "linksRemoved")
PAGE: Final = 20  # audiences that one statement looks at


async def relate_notes(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Link the related notes of each audience with new notes; returns the counts of the run.

    Only links that a job made are changed; a second run finds nothing to change.
    """
    beat.counts.update(dict.fromkeys(("audiences", *COUNTS), 0))
    if context.ranking.related_memories.enabled:
        given = _parameters(context, await since_last_run(context, NAME))
        await run_job_statement(
            context, beat, NAME, given, step=next_audience, most=PAGE, owner_of=_owner_of
        )
    return beat.counts


async def relate_audience(context: Context, beat: JobHeartbeat, audience: str) -> None:
    """Link the related notes of one audience."""
    if context.ranking.related_memories.enabled:
        given = _parameters(context, BEGINNING)
        run = partial(run_statement, context.graph, NAME, given, last=audience)
        # after all keys before this one
        before = f"{audience[:-1]}{chr(ord(audience[-1]) - 1)}\U0010ffff"
        done = await finish_page(context, beat, run, before, 1)
        beat.counts.update(relatedLinks=done.counts["relatedLinks"])


def _parameters(context: Context, since: datetime) -> dict[str, object]:
    return parameters_of_relating(context.ranking.related_memories, since, context.clock())


def _owner_of(audience: str) -> str:
    return Owner.of_audience(audience).name
