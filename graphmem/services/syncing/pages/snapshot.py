"""A snapshot: all of a user's memory in one file, as `graphmem export` writes it (MUMA-47)."""

import json
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePosixPath

from graphmem.domain.portable import Record
from graphmem.services.actors import reopen_access
from graphmem.services.context import Access, Context
from graphmem.services.exporting.exporting import export
from graphmem.services.syncing.pages.page import SNAPSHOTS, Page


def snapshot_path(now: datetime) -> PurePosixPath:
    """Return the path of the snapshot of a day, in UTC."""
    return SNAPSHOTS / f"{now.astimezone(UTC):%Y-%m-%d}.json"


async def read_snapshot(context: Context, access: Access) -> Page:
    """Return the whole state as a page that is named after this day, in UTC.

    `graphmem import` reads it again. It has no place among the pages of each sync: one a day is
    enough, and older ones stay as they are. Raises what `export` raises."""
    lines = []
    async with aclosing(export(context, partial(reopen_access, context, access))) as records:
        async for line in records:
            lines.append(json.dumps(line, ensure_ascii=False))
            if line["record"] == Record.END:
                break
    return Page(snapshot_path(context.clock()), "\n".join(lines) + "\n")
