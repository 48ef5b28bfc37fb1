"""The folder that a service syncs by itself: at its times, after a consolidation, and when an agent
begins a session."""

import asyncio
from collections.abc import Mapping
from typing import Final

import structlog

from graphmem.errors import GraphmemError
from graphmem.services.context import Context
from graphmem.services.syncing.outcome import Synced
from graphmem.services.syncing.syncing import sync_folder

WAIT_S: Final = 10.0  # so long an agent waits for the files at most
log = structlog.get_logger(__name__)


async def sync_served(context: Context) -> Synced | None:
    """Sync the folder of the service; None if it has none. Raises what `sync_folder` raises."""
    if context.folder is None:
        return None
    return await sync_folder(context, context.folder_user, context.folder)


async def sync_if_possible(context: Context) -> None:
    """Sync the folder of the service, if it has one. Raises nothing, since others wait for more."""
    try:
        await sync_served(context)
    except GraphmemError as error:
        log.warning("the folder could not be synced", code=error.code)
    except Exception as error:  # only the type, since the message may hold a note's words
        log.error("the folder could not be synced", error=type(error).__name__)


async def sync_for(context: Context, user: str) -> None:
    """Sync the folder of the service before a user's agent begins, and wait for that a little."""
    if context.folder is None or user != context.folder_user:
        return
    task = context.runs.start_other(sync_if_possible(context))
    await asyncio.wait({task}, timeout=WAIT_S)


def counts_of(done: Synced | None) -> Mapping[str, int]:
    """Return what a sync did as numbers by name."""
    if done is None:
        return {"files": 0, "notes": 0, "conflicts": 0, "skipped": 0}
    notes = (done.created, done.revised, done.restored, done.archived)
    return {
        "files": len(done.added) + len(done.changed) + len(done.removed),
        "notes": sum(map(len, notes)),
        "conflicts": len(done.conflicts),
        "skipped": len(done.skipped),
    }
