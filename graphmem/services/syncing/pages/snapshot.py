"""A snapshot: all of a user's memory in one file, as `graphmem export` writes it (MUMA-47)."""

import json
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from graphmem.domain.portable import Record
from graphmem.services.actors import reopen_access
from graphmem.services.context import Access, Context
from graphmem.services.events import PAGE, list_events
from graphmem.services.exporting.exporting import export
from graphmem.services.syncing.pages.page import SNAPSHOTS, Page

DAYS: Final = 30  # snapshots are not kept so long, so older events do not matter


def snapshot_path(now: datetime) -> PurePosixPath:
    """Return the path of the snapshot of a day, in UTC."""
    return SNAPSHOTS / f"{now.astimezone(UTC):%Y-%m-%d}.json"


def is_outdated(beginning: str, purged: datetime | None) -> bool:
    """Return True if a snapshot may hold a note that was destroyed since.

    `beginning` is its first line. One that says nothing of its time is outdated, too."""
    try:
        at = datetime.fromisoformat(str(json.loads(beginning)["at"]))
        return purged is not None and at <= purged
    except (ValueError, TypeError, KeyError, RecursionError):
        return True


async def last_purge(context: Context, access: Access) -> datetime | None:
    """Return when a note that the viewer could read was last destroyed for good.

    None if that was never, or before the events that are kept."""
    newest, after = None, 0
    since = context.clock() - timedelta(days=DAYS)
    while True:
        page = await list_events(
            context,
            access,
            after=after,
            types=["DELETE"],
            actor=None,
            subject_id=None,
            since=since,
            until=None,
            first=PAGE,
        )
        if not page:
            return newest
        newest, after = max(event.at for event in page), page[-1].seq


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
