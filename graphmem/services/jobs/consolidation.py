"""The job `consolidate_memory` (MUMA 7.2): the nightly work on each user's memory."""

from collections import Counter
from collections.abc import Mapping, Sequence
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
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.job_runs.users import pages_of_users
from graphmem.services.reflection.reflecting import reflect_if_new
from graphmem.services.syncing.serving import sync_if_possible
from graphmem.store import consolidation as store
from graphmem.store.consolidation import DueUser
from graphmem.store.events import append_step, event_row
from graphmem.store.rows import EventRow

USERS: Final = 20  # read by one query
COUNTS: Final = (
    "users collected clusters created archived kept links left "
    "merged copies deprecated conflicts told"
).split()
BY_EVENT: Final = {  # the count that an event of this job belongs to
    "note made of episodes": "created",
    "note became part of a summary": "archived",
    "note archived": "archived",
    "note merged": "merged",
    "note superseded": "deprecated",
    "core memory tells the most active knowledge": "told",
}


async def consolidate_memory(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Go through all users; returns the counts of the run.

    A user's episodes since the last run are read, at least those of the last 24 hours. What a
    summary covers is not read again, so a run that is continued does the rest.
    """
    beat.counts.update(dict.fromkeys(COUNTS, 0))

    async def read(after: str, limit: int) -> Sequence[DueUser]:
        day = context.clock() - COLLECTED
        return await store.users_to_consolidate(context.graph, after, day=day, limit=limit)

    async for _, rows in pages_of_users(context, beat, read, USERS, lambda due: due.user):
        for due in rows:
            with beat.isolate_user():
                beat.counts.update(await _consolidate_user(context, beat, due))
            await beat.checkpoint(due.user, of=due.user)
    await sync_if_possible(context)
    return beat.counts


async def _consolidate_user(
    context: Context, beat: JobHeartbeat, due: DueUser
) -> Mapping[str, int]:
    now = context.clock()
    broken_off = await store.begin(context.graph, due.user)
    access = await open_access(context, due.user, None)
    report = await consolidate_all(context, access, due, beat)
    counts = reported = counts_of(report)
    if broken_off is not None:
        reported = counts | await _count_since(context, due.user, broken_off)
    # Where somebody was faster with a note, the next run looks at the same time again.
    done = store.done_step(due.user, due.since if report.left else now)
    event = append_step(due.user, [_event(context, due.user, reported)])
    with suppress(Stale):  # raised when the user is erased
        await context.graph.write(done, *([event] if any(reported.values()) else ()))
    context.signal(due.user)
    await _propose_skills(context, access, due)
    return Counter({"users": 1} | counts)


async def _count_since(context: Context, user: str, first: int) -> dict[str, int]:
    """Count what this process and one that died have done, by their events, from the first on."""
    counts = Counter[str]()
    for summary, times in (
        await store.count_events_since(context.graph, user, MAKER, first)
    ).items():
        if name := BY_EVENT.get(summary):
            counts[name] += times
    return dict(counts)


async def _propose_skills(context: Context, access: Access, due: DueUser) -> None:
    """Propose procedures that were used with success as skills, by a reflection."""
    now = context.clock()
    if await store.has_proven(context.graph, due.user, since=due.since, now=now):
        viewer = replace(access.viewer, acting_as=MAKER)
        await reflect_if_new(context, replace(access, viewer=viewer), Cause.SCHEDULE)


def counts_of(report: Report) -> dict[str, int]:
    """Return a report as numbers by name."""
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
        "copies": swept.copies,
        "deprecated": swept.deprecated,
        "conflicts": swept.flagged,
        "told": report.told,
    }


def _event(context: Context, user: str, counts: Mapping[str, int]) -> EventRow:
    """Return the report as an event, for the user in person."""
    return event_row(
        "EDIT",
        "memory consolidated",
        audience=user_audience(user),
        actor=MAKER,
        at=context.clock(),
        data={"event": "consolidation", **counts},
    )
