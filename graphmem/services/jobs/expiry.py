"""The jobs `expire_notes` (DAEM-9) and `expire_proposals`: put away what is over."""

from collections.abc import Mapping
from typing import Final

from graphmem.services.context import Context
from graphmem.services.job_runs.batches import run_job_statement
from graphmem.services.job_runs.last_success import since_last_run
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store.archiving import parameters_of_expiry
from graphmem.store.proposals import next_proposal, parameters_of_expired

NAME: Final = "expire_notes"


async def expire_notes(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Archive the notes whose time is over; returns the counts of the run.

    Reads leave them out from that time on anyway. What ended a day before the last complete run was
    archived by that run.
    """
    beat.counts.update({"expired": 0})
    given = parameters_of_expiry(await since_last_run(context, NAME), context.clock())
    await run_job_statement(context, beat, NAME, given)
    return beat.counts


async def expire_proposals(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Destroy the proposals whose time is over; returns the counts of the run.

    Reads leave them out from that time on anyway.
    """
    beat.counts.update({"expired": 0})
    given = parameters_of_expired(context.clock())
    await run_job_statement(context, beat, "expire_proposals", given, step=next_proposal)
    return beat.counts
