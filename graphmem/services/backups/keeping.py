"""Backups that are made without being asked for: by the job `back_up` each day, of which the newest
ones stay, and before a migration."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Final

import structlog

from graphmem.domain.backups import SUFFIX, file_name, names_beyond
from graphmem.errors import Invalid
from graphmem.services.backups.files import open_whole
from graphmem.services.backups.writing import write_backup
from graphmem.services.context import Context
from graphmem.services.job_runs.running import LEASE_S, JobHeartbeat
from graphmem.store import backups as store
from graphmem.store.graph import Graph

PART: Final = ".part"

log = structlog.get_logger(__name__)


async def back_up(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Write a backup into the folder of backups and remove the oldest ones; returns the counts.

    Raises Invalid without a folder, or where nothing can be written in it."""
    folder = context.backups.folder
    if folder is None:
        raise Invalid("GRAPHMEM_BACKUP_DIR names no folder for backups")
    beat.counts.update({"nodes": 0, "relationships": 0, "bytes": 0, "removed": 0})
    if not await store.is_used(context.graph):
        return beat.counts
    path = folder / file_name(context.clock())
    await asyncio.to_thread(_make_folder, folder)
    # Nobody can renew a lease while writes wait.
    await beat.hold(store.LONGEST_S + LEASE_S)
    async with open_whole(path) as file:
        written = await write_backup(beat.graph, file, context.clock())
        await beat.hold(LEASE_S)  # raises if another process has taken the run over
    beat.counts.update(nodes=written.nodes, relationships=written.relationships)
    beat.counts.update(await asyncio.to_thread(_tidy, path, context.backups.keep))
    return beat.counts


async def back_up_before(graph: Graph, migration: str, folder: Path, now: datetime) -> None:
    """Write a backup into the folder before a migration changes a store that holds anything, once a
    day. Raises Invalid where nothing can be written, and Unavailable."""
    if not await store.is_used(graph):
        return
    await asyncio.to_thread(_make_folder, folder)
    name = f"before-{migration.removesuffix('.cypher')}-{now.astimezone(UTC):%Y-%m-%d}"
    if await asyncio.to_thread(lambda: any(folder.glob(f"{name}-*{SUFFIX}"))):
        return
    # Several processes may start together, each with a file of its own.
    path = folder / f"{name}-{token_hex(4)}{SUFFIX}"
    async with open_whole(path) as file:
        await write_backup(graph, file, now)
    log.info("backup made before the graph is migrated", file=str(path))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise Invalid(f"the folder for backups can't be used ({exc.strerror})") from exc


def _tidy(path: Path, keep: int) -> dict[str, int]:
    """Remove the oldest backups, and what killed processes left of theirs; return the size of the
    new one and how many backups were removed."""
    names = [entry.name for entry in path.parent.iterdir()]
    old = names_beyond(names, keep)
    whole = [name.removesuffix(PART) for name in names if name.endswith(PART)]
    left = [name + PART for name in names_beyond(whole, 0) if name < path.name]
    for name in (*old, *left):
        (path.parent / name).unlink(missing_ok=True)
    return {"bytes": path.stat().st_size, "removed": len(old)}
