"""Events: read in pages, and followed live by subscribers of every replica."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any

from graphmem.domain.drafts import check_instant
from graphmem.domain.events import CHANNELS, MAX_SEQ, TYPES, Event
from graphmem.domain.ids import check_domain, uuid7
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.store import events as store

PAGE = 200
MAX_REPLAY = 10_000  # events that a subscriber may be behind
MAX_WORDS = 50
FRESH_S = 1.0  # how long a page may be delivered without checking again who may read it


async def list_events(
    context: Context,
    access: Access,
    *,
    after: int,
    types: Sequence[str] | None,
    actor: str | None,
    subject_id: str | None,
    since: datetime | None,
    until: datetime | None,
    first: int,
    before: int | None = None,
    newest_first: bool = False,
) -> list[Event]:
    """List events that the viewer may know of, oldest first or newest first. Raises Invalid."""
    return await store.list_events(
        context.graph,
        access.viewer.user,
        access.of_events,
        after=_check_number(after, "after"),
        before=None if before is None else _check_number(before, "before"),
        newest_first=newest_first,
        types=_check_words(types, TYPES, "types"),
        actor=actor,
        subject_id=subject_id,
        since=check_instant(since, "since"),
        until=check_instant(until, "until"),
        now=context.clock(),
        limit=first,
    )


def _check_number(seq: int, what: str) -> int:
    if not 0 <= seq <= MAX_SEQ:
        raise Invalid(f"{what} must be from 0 to {MAX_SEQ}")
    return seq


def _check_words(
    words: Sequence[str] | None, known: Sequence[str], what: str
) -> Sequence[str] | None:
    if words is not None and len(words) > MAX_WORDS:
        raise Invalid(f"at most {MAX_WORDS} types or channels")
    if unknown := [word for word in words or () if word not in known]:
        raise Invalid(f"{what}: there is no {unknown[0][:40]!r}, only {', '.join(known)}")
    return words


def follow(
    context: Context,
    reopen: Callable[[], Awaitable[Access]],
    *,
    after: int | None,
    channels: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    domain: str | None = None,
    who: Hashable = None,
) -> AsyncGenerator[Event]:
    """Replay what came after `after`, then go on live.

    `reopen` opens the access again for each page, so that a revoked key or a narrowed profile ends
    or narrows the stream at once. A gap that can't be replayed, or a number beyond the viewer's
    last event, gives one RESYNC event; so does a subscriber that falls too far behind while it
    follows.

    Subscribers with the same `who`, which must stand for the same `reopen`, share their reads.
    Raises Invalid at once for what can't be asked.
    """
    if after is not None:
        _check_number(after, "after")
    wanted = {
        "channels": _check_words(channels, CHANNELS, "channels"),
        "types": _check_words(types, TYPES, "types"),
        "domain": None if domain is None else check_domain(domain),
    }
    return _follow(context, _share_access(context, reopen, who), after, wanted)


def _share_access(
    context: Context, reopen: Callable[[], Awaitable[Access]], who: Hashable
) -> Callable[[], Awaitable[Access]]:
    """Return a function that opens the access once for all who ask at the same time as the same."""
    return reopen if who is None else lambda: context.bus.reads.get(("who", who), reopen)


async def _follow(
    context: Context,
    reopen: Callable[[], Awaitable[Access]],
    after: int | None,
    wanted: Mapping[str, Any],
) -> AsyncGenerator[Event]:
    access = await reopen()
    stream = access.viewer.user
    waiter = context.bus.watch(stream)
    try:
        place = await _start_place(context, access, after)
        if after is not None and place != after:
            yield _resync_event(context, place)
        while True:
            waiter.clear()
            newest = await context.bus.reads.get(
                ("newest", stream), lambda: _newest_seq(context, stream)
            )
            async with aclosing(_replay(context, reopen, place, wanted)) as events:
                async for event in events:
                    yield event
                    place = event.seq
            place = max(place, newest)
            await waiter.wait()
    finally:
        context.bus.unwatch(stream, waiter)


async def _newest_seq(context: Context, stream: str) -> int:
    return (await store.newest(context.graph, [stream]))[stream]


async def _start_place(context: Context, access: Access, after: int | None) -> int:
    """Return where a subscription begins: at `after`, or at the viewer's last event.

    It is the latter when what came since can't be replayed. It depends only on what the viewer may
    read, or a number would reveal when there were events that it may not read.
    """
    graph, stream = context.graph, access.viewer.user
    if after is None:
        return await _newest_seq(context, stream)
    last = await store.last_seq(graph, stream, access.of_events)
    return (
        last
        if after > last
        or _is_digested(context, after)
        or await _is_too_far_behind(context, access, after)
        else after
    )


def _is_digested(context: Context, after: int) -> bool:
    """Return True if events after a number may be digested by now.

    It depends on the time alone; 0 is the beginning, wherever that is.
    """
    oldest = context.clock() - timedelta(days=context.audit_retention_days)
    return 0 < after < oldest.timestamp() * 1_000_000


async def _is_too_far_behind(context: Context, access: Access, place: int) -> bool:
    """Return True if so much came after a number that it is not replayed."""
    behind = await store.count_after(
        context.graph, access.viewer.user, access.of_events, place, MAX_REPLAY + 1
    )
    return behind > MAX_REPLAY


async def _replay(
    context: Context,
    reopen: Callable[[], Awaitable[Access]],
    place: int,
    wanted: Mapping[str, Any],
) -> AsyncGenerator[Event]:
    """Yield what came after a number and may be read now.

    Whatever of a page a slow client has not taken in time is read again. No more than a page is
    held for it, and when it is too far behind it gets a RESYNC event instead of the rest.
    """
    clock = asyncio.get_running_loop()
    while True:
        access = await reopen()
        page = await _read_page(context, access, place, wanted)
        read = clock.time()
        for event in page:
            if clock.time() - read > FRESH_S:
                break
            yield event
            place = event.seq
        else:
            if len(page) < PAGE:
                return
        if len(page) == PAGE and await _is_too_far_behind(context, access, place):
            last = await store.last_seq(context.graph, access.viewer.user, access.of_events)
            yield _resync_event(context, last)
            return


async def _read_page(
    context: Context, access: Access, place: int, wanted: Mapping[str, Any]
) -> list[Event]:
    """Read a page of events after a number, once for all who share the access.

    While a read goes on its access lives, so no other access has the same id.
    """
    key = ("page", id(access), place, *(_freeze(each) for each in wanted.values()))
    return await context.bus.reads.get(
        key,
        lambda: store.list_events(
            context.graph,
            access.viewer.user,
            access.of_events,
            after=place,
            now=context.clock(),
            limit=PAGE,
            **wanted,
        ),
    )


def _freeze(value: Any) -> Hashable:
    return value if value is None or isinstance(value, str) else tuple(value)


def _resync_event(context: Context, seq: int) -> Event:
    now = context.clock()
    return Event(
        id=uuid7(now),
        seq=seq,
        at=now,
        type="RESYNC",
        channel="state_change",
        actor="system",
        subject_id=None,
        domain=None,
        summary="events were missed: read the state again",
        data={},
    )
