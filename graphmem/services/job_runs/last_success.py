"""The time since when there may be something new for a job."""

from datetime import datetime, timedelta
from typing import Final

from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import BEGINNING
from graphmem.services.context import Context
from graphmem.store.jobs import list_runs

# before the last complete run: clocks differ, and some notes were locked
MARGIN: Final = timedelta(days=1)
LOOKED_AT: Final = 20  # newest runs, one of which may have done everything


async def since_last_run(context: Context, job: str) -> datetime:
    """Return a day before the last run that did everything; that one has seen what is older."""
    runs = await list_runs(context.graph, [job], LOOKED_AT)
    complete = [run.started_at for run in runs if run.status is RunStatus.DONE]
    return max(complete) - MARGIN if complete else BEGINNING
