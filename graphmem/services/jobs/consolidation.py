"""The job `consolidate_memory` (MUMA 7.2): the night of each user's memory."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from graphmem.domain.consolidation import COLLECTED
from graphmem.domain.reflection import Cause
from graphmem.errors import Stale
from graphmem.services.actors import open_access
from graphmem.services.consolidation.consolidating import Report, consolidate_all
from graphmem.services.consolidation.writing import MAKER
from graphmem.services.context import Access, Context, user_audience
from graphmem.services.jobs.running import Beat
from graphmem.services.reflection.reflecting import reflect_if_new
from graphmem.store import consolidation as store
from graphmem.store.consolidation import DueUser
from graphmem.store.events import append_step, event_row

USERS: Final = 20  # looked at by one query
COUNTS: Final = (
    "users collected clusters created archived kept links left merged deprecated conflicts told"
).split()


async def consolidate_memory(context: Context, beat: Beat) -> Mapping[str, int]:
    """Go through all users; the counts of the run. A user's episodes since the last run are looked
    at, those of the last 24 hours at least. What a summary tells of is not looked at again, so a
    run that is carried on does the rest."""
    beat.counts.update(dict.fromkeys(COUNTS, 0))
    after = beat.place
    while True:
        day = context.clock() - COLLECTED
        rows = await store.users_to_consolidate(context.graph, after, day=day, limit=USERS)
        if not rows:
            return beat.counts
        for due in rows:
            with beat.apart():
                beat.counts.update(await _one(context, beat, due))
            await beat(due.user)
        after = rows[-1].user


async def _one(context: Context, beat: Beat, due: DueUser) -> Mapping[str, int]:
    now = context.clock()
    access = await open_access(context, due.user, None)
    report = await consolidate_all(context, access, due, beat)
    # Where somebody was faster with a note, the next run looks at the same time again.
    await store.keep_done(context.graph, due.user, due.since if report.left else now)
    counts = counts_of(report)
    if any(counts.values()):
        await _tell(context, due.user, counts)
    await _propose_skills(context, access, due)
    return Counter({"users": 1} | counts)


async def _propose_skills(context: Context, access: Access, due: DueUser) -> None:
    """Procedures that were used with success may become skills: a reflection proposes it."""
    now = context.clock()
    if await store.has_proven(context.graph, due.user, since=due.since, now=now):
        viewer = replace(access.viewer, acting_as=MAKER)
        await reflect_if_new(context, replace(access, viewer=viewer), Cause.SCHEDULE)


def counts_of(report: Report) -> dict[str, int]:
    """A report as numbers by name."""
    swept = report.sweep
    return {
        "collected": report.collected,
        "clusters": report.clusters,
        "created": report.created,
        "archived": report.archived + swept.archived,
        "kept": report.kept,
        "links": report.links,
        "left": report.left,
        "merged": swept.merged,
        "deprecated": swept.deprecated,
        "conflicts": swept.flagged,
        "told": report.told,
    }


async def _tell(context: Context, user: str, counts: Mapping[str, int]) -> None:
    """The report, for the user in person."""
    event = event_row(
        "EDIT",
        "memory consolidated",
        audience=user_audience(user),
        actor=MAKER,
        at=context.clock(),
        data={"event": "consolidation", **counts},
    )
    with suppress(Stale):  # the user is erased
        await context.graph.write(append_step(user, [event]))
    context.signal(user)
