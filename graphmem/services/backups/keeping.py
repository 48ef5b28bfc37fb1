"""The job `back_up`: a backup of everything each day, of which the newest ones stay."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from graphmem.domain.backups import file_name, names_beyond
from graphmem.errors import Invalid
from graphmem.services.backups.files import open_whole
from graphmem.services.backups.writing import write_backup
from graphmem.services.context import Context
from graphmem.services.jobs.running import LEASE_S, Beat
from graphmem.store import backups as store

PART: Final = ".part"


async def back_up(context: Context, beat: Beat) -> Mapping[str, int]:
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


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise Invalid(f"GRAPHMEM_BACKUP_DIR can't be used ({exc.strerror})") from exc


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
