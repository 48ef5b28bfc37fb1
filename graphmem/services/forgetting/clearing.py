"""Destroys for good what was archived or expired long ago."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.notes import BEGINNING
from graphmem.errors import Stale
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.writing.purging import purge
from graphmem.store import notes, purging

ACTOR: Final = "system:purge"
PAGE: Final = 100  # notes of one transaction, at most


@dataclass(frozen=True, kw_only=True)
class PurgeCounts:
    """Counts of a purge.

    `found`: notes archived or expired before the instant; `purged`: those destroyed, none in a dry
    run, and not those that changed meanwhile.
    """

    found: int
    purged: int


async def purge_old(
    context: Context,
    before: datetime,
    *,
    user: str | None = None,
    expired: bool = False,
    dry_run: bool = False,
) -> PurgeCounts:
    """Destroy the notes, of one user or of all, that were archived or expired before an instant.

    With `expired`, only expired ones. Notes that have changed since stay; a DELETE event of each
    destroyed one stays. It works page by page, so that it can be stopped and begun again.
    """
    after, found, purged = "", 0, 0
    archived, graph = not expired, context.graph
    while page := await purging.list_put_away(
        graph, before, user=user, archived=archived, after=after, limit=PAGE
    ):
        after = page[-1][0]
        found += len(page)
        owned: dict[str, list[str]] = defaultdict(list)
        for note, owner in page:
            owned[owner].append(note)
        for owner, ids in owned.items():
            purged += 0 if dry_run else await _purge(context, owner, ids)
    return PurgeCounts(found=found, purged=purged)


async def _purge(context: Context, user: str, ids: Sequence[str]) -> int:
    access = await open_access(context, user, None)
    # With this instant nothing has expired.
    loaded = await notes.load_notes(context.graph, ids, access.by_name, BEGINNING)
    if not loaded:
        return 0
    try:
        return await purge(context, access, list(loaded.values()), actor=ACTOR)
    except Stale:  # somebody changed one of them; the next run looks again
        return 0
