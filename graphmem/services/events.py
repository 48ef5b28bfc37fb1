"""Events: read in pages, and followed live by subscribers of every replica."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any

from graphmem.domain.drafts import check_instant
from graphmem.domain.events import MAX_SEQ, Event
from graphmem.domain.ids import check_domain, uuid7
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.store import events as store

PAGE = 200
MAX_REPLAY = 10_000  # events that a subscriber may be behind
MAX_WORDS = 50
FRESH_S = 1.0  # how long a page may be delivered from without asking again who may read


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
) -> list[Event]:
    """Events that the viewer may know of, oldest first. Raises Invalid."""
    return await store.list_events(
        context.graph,
        access.viewer.user,
        access.of_events,
        after=_check_after(after),
        types=_check_words(types),
        actor=actor,
        subject_id=subject_id,
        since=check_instant(since, "since"),
        until=check_instant(until, "until"),
        limit=first,
    )


def _check_after(after: int) -> int:
    if not 0 <= after <= MAX_SEQ:
        raise Invalid(f"after must be from 0 to {MAX_SEQ}")
    return after


def _check_words(words: Sequence[str] | None) -> Sequence[str] | None:
    if words is not None and len(words) > MAX_WORDS:
        raise Invalid(f"at most {MAX_WORDS} types or channels")
    return words


def follow(
    context: Context,
    reopen: Callable[[], Awaitable[Access]],
    *,
    after: int | None,
    channels: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    domain: str | None = None,
) -> AsyncGenerator[Event]:
    """Replay what came after `after`, then go on live. `reopen` opens the access anew for each
    page, so that a revoked key or a narrowed profile ends or narrows the stream at once. A gap
    that can't be replayed, or a number beyond the viewer's last event, gives one RESYNC event.

    Raises Invalid at once for what can't be asked."""
    if after is not None:
        _check_after(after)
    wanted = {
        "channels": _check_words(channels),
        "types": _check_words(types),
        "domain": None if domain is None else check_domain(domain),
    }
    return _follow(context, reopen, after, wanted)


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
        place = await _begin(context, access, after)
        if after is not None and place != after:
            yield _resync(context, place)
        while True:
            waiter.clear()
            newest = (await store.newest(context.graph, [stream]))[stream]
            async with aclosing(_replay(context, reopen, place, wanted)) as events:
                async for event in events:
                    yield event
                    place = event.seq
            place = max(place, newest)
            await waiter.wait()
    finally:
        context.bus.unwatch(stream, waiter)


async def _begin(context: Context, access: Access, after: int | None) -> int:
    """Where a subscription begins: at `after`, or at the viewer's last event when what came since
    can't be replayed. It depends on what the viewer may read alone, or a number would tell when
    events were that it may not read."""
    graph, stream = context.graph, access.viewer.user
    if after is None:
        return (await store.newest(graph, [stream]))[stream]
    last = await store.last_seq(graph, stream, access.of_events)
    if after > last:
        return last
    behind = await store.count_after(graph, stream, access.of_events, after, MAX_REPLAY + 1)
    return last if behind > MAX_REPLAY else after


async def _replay(
    context: Context,
    reopen: Callable[[], Awaitable[Access]],
    place: int,
    wanted: Mapping[str, Any],
) -> AsyncGenerator[Event]:
    """What came after a number and may be read now; whatever of a page a slow client has not
    taken in time is read anew."""
    clock = asyncio.get_running_loop()
    while True:
        access = await reopen()
        page = await store.list_events(
            context.graph,
            access.viewer.user,
            access.of_events,
            after=place,
            limit=PAGE,
            **wanted,
        )
        read = clock.time()
        for event in page:
            if clock.time() - read > FRESH_S:
                break
            yield event
            place = event.seq
        else:
            if len(page) < PAGE:
                return


def _resync(context: Context, seq: int) -> Event:
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
        summary="events were missed: read the state anew",
        data={},
    )
