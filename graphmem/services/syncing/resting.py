"""Finds out whether a sync has nothing to do, as most have: by few reads of the graph and of the
folder, and without loading what a sync needs besides."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path, PurePosixPath

from graphmem.services.syncing.folder import Found, Stamp, find_files, stamp_of
from graphmem.services.syncing.outcome import Synced
from graphmem.services.syncing.state import (
    MADE,
    PLACE,
    State,
    check_owner,
    load_state,
    locked,
)
from graphmem.store.events import newest
from graphmem.store.graph import Graph
from graphmem.store.migrations import Migration, pending
from graphmem.store.visibility import read_viewer


async def find_rest(
    graph: Graph,
    migrations: tuple[Migration, ...],
    user: str,
    root: Path,
    now: datetime,
    *,
    agent: str | None = None,
) -> Synced | None:
    """Return the outcome of a sync that has nothing to do; None where one has to be run, also as
    the graph lacks migrations.

    Raises what `sync_folder` does for a folder that can't be used, Misconfigured, and
    Unavailable."""
    is_synced = await asyncio.to_thread((root / PLACE).is_dir)
    if not is_synced or await pending(graph, migrations):
        return None
    root = await asyncio.to_thread(root.resolve)
    with locked(root):
        check_owner(root, user, agent)
        found = await read_viewer(graph, user, agent)
        if found.user is None or found.erasing or (agent is not None and found.agent is None):
            return None
        event = await newest_event(graph, user)
        state = await asyncio.to_thread(load_state, root)
        if not is_rest(state, event, found.version, now):
            return None
        there = await asyncio.to_thread(find_all, root, state)
        if changed_files(there, state) or not is_complete(root, state, there):
            return None
        return Synced(skipped=lines_of(there))


async def newest_event(graph: Graph, user: str) -> int:
    """Return the number of the user's newest event."""
    return (await newest(graph, [user])).get(user, 0)


def is_rest(state: State, event: int, rights: int | None, now: datetime) -> bool:
    """Check if the graph is as it was when the last sync left nothing to do."""
    seen = state.seen
    return seen is not None and (seen.event, seen.rights) == (event, rights) and state.is_rest(now)


def find_all(root: Path, state: State, pages: Iterable[PurePosixPath] = ()) -> Found:
    """Find the files of a folder: those that may be notes, and `pages`, those made of the graph."""
    found = find_files(root)
    for path, kept in state.files.items():  # files of notes that still exist, but are ignored now
        if not kept.made and path not in found.files and stamp_of(root / path) is not None:
            found.skipped.setdefault(path, "an ignore file names it now")
    reserved = {*pages, *made_files(state)}
    for path in reserved:  # also what belongs to no note, such as the audit log
        stamp = stamp_of(root / path)
        if stamp is not None and path not in found.skipped:
            found.files[path] = stamp
    for path, _ in changed_files(found, state):
        if path not in reserved and str(path).startswith(MADE):  # a stranger among pages
            del found.files[path]
    return found


def made_files(state: State) -> set[PurePosixPath]:
    """Return the pages made of the graph that the last sync left."""
    return {path for path, kept in state.files.items() if kept.made}


def changed_files(found: Found, state: State) -> list[tuple[PurePosixPath, Stamp]]:
    """Return the files whose stamps differ from those after the last sync."""
    known = {path: kept.stamp for path, kept in state.files.items()}
    return [(path, stamp) for path, stamp in found.files.items() if known.get(path) != stamp]


def is_complete(root: Path, state: State, found: Found) -> bool:
    """Check if all files of the last sync are there."""
    there = found.files.keys() | found.skipped.keys()
    beside = all(stamp_of(root / path) is not None for path in state.beside)
    return state.files.keys() <= there and beside


def lines_of(found: Found) -> list[str]:
    """Return the files that are left alone, with the reason."""
    return [f"{path}: {why}" for path, why in found.skipped.items()]
