"""The job `sync_files`: the service's folder and the memory of its user become the same."""

from collections.abc import Mapping
from typing import Final

from graphmem.services.context import Context
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.syncing.serving import counts_of, sync_served
from graphmem.store.folders import find_user

NAME: Final = "sync_files"


async def sync_files(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Sync the folder of the service, if it has one; returns the counts of the run."""
    beat.counts.update(dict.fromkeys(counts_of(None), 0))
    if context.folder is not None and await find_user(context.graph, context.folder_user):
        beat.counts.update(counts_of(await sync_served(context)))
    await beat.checkpoint()
    return beat.counts
