"""The job `digest_audit`: replaces old events by numbers for each user and month (MOLT-74)."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from graphmem.domain.actors import AUDIT
from graphmem.domain.digests import Digest, is_counted, marks_of, month_of
from graphmem.domain.events import Event
from graphmem.domain.notes import Note
from graphmem.errors import Stale
from graphmem.language.pages import NO_FILE, NOTE, file_of_event
from graphmem.services.actors import open_access
from graphmem.services.context import Context, user_audience
from graphmem.services.job_runs.failure_isolation import in_order_of
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.reading.notes import MAX_IDS, load_many
from graphmem.services.syncing.homes import home_of
from graphmem.store import digests as store
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Step
from graphmem.store.jobs import next_stream
from graphmem.store.notes import LIVE_STATUSES

USERS: Final = 100  # read by one query
PAGE: Final = 250  # events of one transaction


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
    while count := await _digest_page(context, beat, user, before):
        beat.counts.update(events=count)
        await beat.checkpoint()
    await store.forget_marks(context.graph, user, before=f"{before.astimezone(UTC):%Y-%m}")
    while gone := await store.forget_recalls(context.graph, user, before=before, limit=PAGE):
        beat.counts.update(recalls=gone)
        await beat.checkpoint()


async def _digest_page(context: Context, beat: JobHeartbeat, user: str, before: datetime) -> int:
    """Digest a page of a user's old events; returns how many there were, 0 at the end."""
    found = await store.old_events(context.graph, user, before=before, limit=PAGE)
    if not found:
        return 0
    months: dict[str, list[Event]] = defaultdict(list)
    for old in found:
        if is_counted(old):
            months[month_of(old.event)].append(old.event)
    known = await store.list_digests(context.graph, user, months=months, limit=len(months) or 1)
    before_now = {each.month: each for each in known}
    marks = dict(await store.marks_of_months(context.graph, user, months))
    digests: list[Digest] = []
    for month, events in sorted(months.items()):
        new = marks_of(await _files_of(context, beat, user, events)) - marks.get(month, set())
        marks[month] = marks.get(month, set()) | new
        earlier = before_now.get(month, Digest(month=month))
        digests.append(earlier.with_events(events, len(new)))
    now, ids = context.clock(), [old.event.id for old in found]
    steps: list[Step] = [store.digest_step(user, digests, marks, ids, now=now)]
    if digests:
        steps.append(_report_step(user, months, now))
    try:
        await context.graph.write(*steps)
    except Stale:  # the user is erased, or another process was faster
        return 0
    context.signal(user)
    return len(found)


async def _files_of(
    context: Context, beat: JobHeartbeat, user: str, events: Sequence[Event]
) -> set[str]:
    """Return the files that events changed, as the lines of the audit log name them.

    A note that counts no more, or has a file of its own, is named by its id."""
    files = {file_of_event(event, {}) for event in events} - {NO_FILE}
    ids = sorted(file.removeprefix(NOTE) for file in files if file.startswith(NOTE))
    access = await open_access(context, user, None, admit=True)
    homes: dict[str, str] = {}

    async def find_homes(some: Sequence[str]) -> None:
        notes = (await load_many(context, access, some)).values()
        homes.update(await asyncio.to_thread(_homes_of, context, notes))

    for start in range(0, len(ids), MAX_IDS):
        await beat.each(ids[start : start + MAX_IDS], find_homes)
    return {homes.get(file.removeprefix(NOTE), file) for file in files}


def _homes_of(context: Context, notes: Iterable[Note]) -> dict[str, str]:
    t0_files = context.ranking.tiered.t0_files
    homes = {n.id: home_of(n, t0_files) for n in notes if n.status in LIVE_STATUSES}
    return {note: home for note, home in homes.items() if home.endswith(".md")}


def _report_step(user: str, months: Mapping[str, Sequence[Event]], now: datetime) -> Step:
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
