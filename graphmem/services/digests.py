"""The job `digest_audit` (MOLT-74), and reading digests, for the user in person.

The job replaces old events by numbers for each user and month.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from graphmem.domain.actors import AUDIT
from graphmem.domain.digests import Digest, OldEvent, is_counted, month_of
from graphmem.errors import Stale
from graphmem.services.context import Access, Context, require_in_person, user_audience
from graphmem.services.job_runs.failure_isolation import in_order_of
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store import digests as store
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Step
from graphmem.store.jobs import next_stream

USERS: Final = 100  # read by one query
PAGE: Final = 250  # events of one transaction
MAX_DIGESTS: Final = 120  # ten years


async def list_digests(context: Context, access: Access, first: int) -> list[Digest]:
    """List the user's digests, newest first.

    Raises Forbidden for an agent: they count what it may not read.
    """
    require_in_person(access, "the audit's digests")
    return await store.list_digests(context.graph, access.viewer.user, limit=first)


async def digest_audit(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Count and delete the events that are past the retention time of the audit.

    Records of recalls that are as old are deleted, too (DIFF-24). Returns the counts of the run.
    """
    beat.counts.update({"users": 0, "events": 0, "recalls": 0})
    before = context.clock() - timedelta(days=context.audit_retention_days)
    graph = context.graph

    async def read(after: str, limit: int) -> Sequence[str]:
        return await store.users_with_old_events(graph, after, before=before, limit=limit)

    async for _, users in beat.pages(
        in_order_of(read, str),
        USERS,
        after=beat.place,
        step_over=lambda after: next_stream(graph, after),
    ):
        for user in users:
            beat.counts.update(users=1)
            with beat.isolate_user():
                await _digest(context, beat, user, before)
            await beat.checkpoint(user, of=user)
    return beat.counts


async def _digest(context: Context, beat: JobHeartbeat, user: str, before: datetime) -> None:
    """Digest a user's old events, and delete the old records of recalls, page by page."""
    while count := await _digest_page(context, user, before):
        beat.counts.update(events=count)
        await beat.checkpoint()
    while gone := await store.forget_recalls(context.graph, user, before=before, limit=PAGE):
        beat.counts.update(recalls=gone)
        await beat.checkpoint()


async def _digest_page(context: Context, user: str, before: datetime) -> int:
    """Digest a page of a user's old events; returns how many there were, 0 at the end."""
    found = await store.old_events(context.graph, user, before=before, limit=PAGE)
    if not found:
        return 0
    months: dict[str, list[OldEvent]] = defaultdict(list)
    for _, event in found:
        if is_counted(event):
            months[month_of(event.at)].append(event)
    known = await store.list_digests(context.graph, user, months=months, limit=len(months) or 1)
    before_now = {each.month: each for each in known}
    digests = [
        before_now.get(month, Digest(month=month)).with_events(events)
        for month, events in sorted(months.items())
    ]
    now = context.clock()
    steps: list[Step] = [store.digest_step(user, digests, [i for i, _ in found], now=now)]
    if digests:
        steps.append(_report_step(user, months, now))
    try:
        await context.graph.write(*steps)
    except Stale:  # the user is erased, or another process was faster
        return 0
    context.signal(user)
    return len(found)


def _report_step(user: str, months: Mapping[str, Sequence[OldEvent]], now: datetime) -> Step:
    counts = {month: len(events) for month, events in sorted(months.items())}
    row = event_row(
        "EDIT",
        "old events digested",
        audience=user_audience(user),
        actor=AUDIT,
        at=now,
        channel="state_change",
        data={"months": counts},
    )
    return append_step(user, [row])
