"""Destroying for good what was put away, or has expired, long ago."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.notes import BEGINNING
from graphmem.errors import Stale
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.purging import purge
from graphmem.store import notes, purging

ACTOR: Final = "system:purge"
PAGE: Final = 100  # notes of one transaction, at most


@dataclass(frozen=True, kw_only=True)
class Cleared:
    """How many notes were put away or expired before the instant, and how many of them were
    destroyed: none in a dry run, and not those that changed meanwhile."""

    found: int
    purged: int


async def purge_old(
    context: Context, before: datetime, *, user: str | None = None, dry_run: bool = False
) -> Cleared:
    """Destroy the notes, of one user or of all, that were archived or expired before an instant and
    have not changed since; a DELETE event of each stays. Page by page, so that it can be stopped
    and begun again."""
    after, found, purged = "", 0, 0
    while page := await purging.put_away(context.graph, before, user=user, after=after, limit=PAGE):
        after = page[-1][0]
        found += len(page)
        owned: dict[str, list[str]] = defaultdict(list)
        for note, owner in page:
            owned[owner].append(note)
        for owner, ids in owned.items():
            purged += 0 if dry_run else await _purge(context, owner, ids)
    return Cleared(found=found, purged=purged)


async def _purge(context: Context, user: str, ids: Sequence[str]) -> int:
    access = await open_access(context, user, None)
    # As of the beginning nothing has expired.
    loaded = await notes.load_notes(context.graph, ids, access.by_name, BEGINNING)
    if not loaded:
        return 0
    try:
        return await purge(context, access, list(loaded.values()), actor=ACTOR)
    except Stale:  # somebody changed one of them; the next run looks again
        return 0
