"""Since when there may be something new for a job."""

from datetime import datetime, timedelta
from typing import Final

from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import BEGINNING
from graphmem.services.context import Context
from graphmem.store.jobs import list_runs

MARGIN: Final = timedelta(days=1)  # before the last whole run: clocks differ, and notes were busy
LOOKED_AT: Final = 20  # newest runs, among which there may be one that did everything


async def since_last_run(context: Context, job: str) -> datetime:
    """A day before the last run that did everything: what is older, that one has seen."""
    runs = await list_runs(context.graph, [job], LOOKED_AT)
    whole = [run.started_at for run in runs if run.status is RunStatus.DONE]
    return max(whole) - MARGIN if whole else BEGINNING
