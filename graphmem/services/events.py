"""Events: read in pages, and followed live by subscribers of every replica."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime

from graphmem.domain.drafts import check_instant
from graphmem.domain.events import Event
from graphmem.domain.ids import check_domain, uuid7
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.services.reading import check_first
from graphmem.store import events as store

PAGE = 200
MAX_REPLAY = 10_000  # events that a subscriber may be behind
MAX_WORDS = 50


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
        limit=check_first(first),
    )


def _check_after(after: int) -> int:
    if after < 0:
        raise Invalid("after must not be negative")
    return after


def _check_words(words: Sequence[str] | None) -> Sequence[str] | None:
    if words is not None and len(words) > MAX_WORDS:
        raise Invalid(f"at most {MAX_WORDS} types or channels")
    return words


async def follow(
    context: Context,
    reopen: Callable[[], Awaitable[Access]],
    *,
    after: int | None,
    channels: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    domain: str | None = None,
) -> AsyncIterator[Event]:
    """Replay what came after `after`, then go on live. `reopen` opens the access anew for each
    look, so that a revoked key or a narrowed profile ends or narrows the stream at once. A gap
    that can't be replayed gives one RESYNC event."""
    _check_words(channels)
    _check_words(types)
    domain = None if domain is None else check_domain(domain)
    access = await reopen()
    stream = access.viewer.user
    waiter = context.bus.watch(stream)
    try:
        seq, first = (await store.newest(context.graph, [stream]))[stream]
        place = seq if after is None else _check_after(after)
        if place > seq or place < first - 1 or seq - place > MAX_REPLAY:
            place = seq
            yield _resync(context, seq)
        while True:
            waiter.clear()
            access = await reopen()
            seq = (await store.newest(context.graph, [stream]))[stream][0]
            while page := await store.list_events(
                context.graph,
                stream,
                access.of_events,
                after=place,
                types=types,
                channels=channels,
                domain=domain,
                limit=PAGE,
            ):
                for event in page:
                    yield event
                place = page[-1].seq
            place = max(place, seq)
            await waiter.wait()
    finally:
        context.bus.unwatch(stream, waiter)


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
