"""Syncs a folder again and again: soon after a file changes, and when the memory did."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

import structlog
from watchfiles import Change, awatch

from graphmem.errors import GraphmemError, Unauthenticated
from graphmem.services.context import Context
from graphmem.services.syncing.ignoring import is_of_editor
from graphmem.services.syncing.outcome import Synced
from graphmem.store.events import newest

GATHER_MS: Final = 300  # so long changes are gathered: a checkout of many files is one sync
POLL_S: Final = 0.5  # the memory is asked for news, which is a read of one node
WHOLE_S: Final = 900.0  # a sync without any news, for what no watcher saw and for notes that expire

Sync = Callable[[], Awaitable[Synced]]
Tell = Callable[[Synced | GraphmemError], None]

log = structlog.get_logger(__name__)


async def watch_folder(
    context: Context, user: str, root: Path, sync: Sync, tell: Tell, stop: asyncio.Event
) -> None:
    """Sync at once, and then whenever something changed, until `stop` is set.

    `tell` gets what a sync did, unless that was nothing, or its error. Raises Unauthenticated."""
    changed = asyncio.Event()
    changed.set()
    watcher = asyncio.create_task(_follow_files(root, changed, stop))
    try:
        seen, waited = -1, 0.0
        while not stop.is_set():
            now = await _newest(context, user, seen)
            if changed.is_set() or now != seen or waited >= WHOLE_S:
                changed.clear()
                await _sync_once(sync, tell)
                # What the sync itself wrote is no news.
                seen, waited = await _newest(context, user, now), 0.0
            waited += await _wait(changed, stop)
    finally:
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)


async def _sync_once(sync: Sync, tell: Tell) -> None:
    try:
        done = await sync()
    except Unauthenticated:
        raise
    except GraphmemError as error:
        tell(error)
    except Exception as error:  # one odd file ends no watch
        log.error("the folder could not be synced", error=type(error).__name__)
    else:
        if not done.is_quiet or not done.is_clean:
            tell(done)


async def _newest(context: Context, user: str, seen: int) -> int:
    """Return the number of the user's newest event; `seen` where the graph does not answer."""
    with suppress(GraphmemError):
        return (await newest(context.graph, [user])).get(user, 0)
    return seen


async def _wait(changed: asyncio.Event, stop: asyncio.Event) -> float:
    """Wait until a file changes, the end is wanted, or the memory is to be asked."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    waits = [asyncio.create_task(each.wait()) for each in (changed, stop)]
    try:
        await asyncio.wait(waits, timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
    return loop.time() - begun


async def _follow_files(root: Path, changed: asyncio.Event, stop: asyncio.Event) -> None:
    root = await asyncio.to_thread(root.resolve)
    changes = awatch(
        root,
        watch_filter=_is_of_interest(root),
        debounce=GATHER_MS,
        step=100,
        stop_event=stop,
        ignore_permission_denied=True,
    )
    async for _ in changes:
        changed.set()


def _is_of_interest(root: Path) -> Callable[[Change, str], bool]:
    def check(change: Change, path: str) -> bool:
        below = PurePath(path).relative_to(root) if PurePath(path).is_relative_to(root) else None
        return below is not None and not any(is_of_editor(part) for part in below.parts)

    return check
