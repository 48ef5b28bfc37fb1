"""One snapshot a day in the folder: the first of a day, and the newest of some days."""

import asyncio
from pathlib import Path
from typing import Final

from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.services.syncing import pages as made_pages
from graphmem.services.syncing.folder import remove_file, stamp_of, write_file
from graphmem.services.syncing.outcome import Synced

KEPT: Final = 7  # the newest
MAX_HEAD: Final = 10_000  # characters of the first line
_NAMES: Final = "????-??-??.json"


async def keep_snapshots(context: Context, access: Access, root: Path, done: Synced) -> None:
    """Write the snapshot of this day if there is none, and remove the old ones.

    So is one removed that may hold a note that was destroyed for good since. Only the user in
    person has snapshots."""
    if not access.viewer.in_person:
        return
    purged = await made_pages.last_purge(context, access)
    path = made_pages.snapshot_path(context.clock())
    folder = root / path.parent

    def tidy() -> bool:
        old = sorted(folder.glob(_NAMES))
        gone = {each for each in old if made_pages.is_outdated(_head_of(each), purged)}
        gone |= set(old[:-KEPT])
        for each in sorted(gone):
            remove_file(root, path.with_name(each.name), over=stamp_of(each))
            done.pages.append(str(path.with_name(each.name)))
        return stamp_of(root / path) is None

    try:
        if await asyncio.to_thread(tidy):
            page = await made_pages.read_snapshot(context, access)
            await asyncio.to_thread(write_file, root, path, page.text, over=None)
            done.pages.append(str(path))
    except Invalid as error:
        done.skipped.append(f"{path}: {error.message}")


def _head_of(path: Path) -> str:
    try:
        if path.is_symlink():
            return ""
        with path.open(encoding="utf-8") as file:
            return file.readline(MAX_HEAD)
    except (OSError, ValueError):
        return ""
