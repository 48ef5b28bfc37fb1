"""Destroys for good what was archived or expired long ago, and forgets what an agent wrote."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.notes import BEGINNING
from graphmem.errors import NotFound, Stale, Unauthenticated
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget_notes
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


@dataclass(frozen=True, kw_only=True)
class AgentCleared:
    """Counts of clearing an agent.

    `found`: notes that it wrote, without those archived already unless they are destroyed;
    `cleared`: those archived or destroyed, none in a dry run, and not those that changed meanwhile.
    """

    found: int
    cleared: int
    permanent: bool


async def clear_agent(
    context: Context, user: str, agent: str, *, permanent: bool = False, dry_run: bool = False
) -> AgentCleared:
    """Archive all notes that an agent of the user wrote, or destroy them for good.

    Archived ones can be brought back by `restore`. It acts as the user in person, page by page, so
    that it can be stopped and begun again. Raises NotFound when there is no such agent.
    """
    try:
        await open_access(context, user, agent)
    except Unauthenticated as exc:
        raise NotFound("no such user or agent") from exc
    after, found, cleared = "", 0, 0
    while ids := await purging.written_by(
        context.graph, user, agent, archived=permanent, after=after, limit=PAGE
    ):
        after = ids[-1]
        found += len(ids)
        if not dry_run:
            cleared += await _forget(context, user, ids, permanent=permanent)
    return AgentCleared(found=found, cleared=cleared, permanent=permanent)


async def _forget(context: Context, user: str, ids: Sequence[str], *, permanent: bool) -> int:
    access = await open_access(context, user, None)
    # With this instant nothing has expired.
    loaded = await notes.load_notes(context.graph, ids, access.by_name, BEGINNING)
    if not loaded:
        return 0
    try:
        return await forget_notes(
            context, access, list(loaded.values()), permanent=permanent, reason=None
        )
    except Stale:  # somebody changed one of them; the command can be given again
        return 0
