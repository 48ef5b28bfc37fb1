"""Erases a user: everything that the user owns is destroyed, and others' data no longer names them.

It works page by page, each in a transaction of its own. What a process did not finish, the job
`erase_users` does.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

from graphmem.domain.erasing import ErasureProgress
from graphmem.domain.ids import check_id
from graphmem.domain.owners import Owner
from graphmem.errors import Forbidden, Invalid
from graphmem.services.caches import forget_texts
from graphmem.services.callers import Callers
from graphmem.services.context import Access, Context
from graphmem.services.job_runs.pace import Pace
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store import erasing as store

ROUNDS: Final = 3  # a write or a job that went on may leave something behind in a finished page
USERS: Final = 100  # read by one query
MARGIN_S: Final = 2.0  # before the end of a request, for its last page and the final count

Page = Callable[[int], Awaitable[Mapping[str, int]]]
Pause = Callable[[], Awaitable[None]]


class _OutOfTime(Exception):
    """Raised when the time is over; the job does the rest."""


async def erase_own(
    context: Context, access: Access, confirm: str, ends: float | None
) -> ErasureProgress:
    """Erase the user who asks, in person: `confirm` is their id.

    What is not done at `ends`, in the time of the event loop, the job does. Raises Forbidden for
    anybody else, Invalid.
    """
    viewer = access.viewer
    if not viewer.in_person:
        raise Forbidden("erasing a user is for the user in person, not for an agent")
    if confirm != viewer.user:
        raise Invalid("confirm must be your own id: what you own is destroyed for good")
    return await erase_user(context, viewer.user, ends=ends)


async def erase_user(context: Context, user: str, *, ends: float | None = None) -> ErasureProgress:
    """Erase a user, known or not, to the end or until `ends`.

    For who runs the store, or asks for themselves. Raises Invalid for what is not an id.
    """
    clock = asyncio.get_running_loop()

    async def pause() -> None:
        if ends is not None and clock.time() > ends - MARGIN_S:
            raise _OutOfTime

    pace = Pace(Callers())  # not a job: it does not wait for others
    context = replace(context, graph=pace.of(context.graph))
    return await _erase(context, check_id(user, "user id"), pace, pause)


async def count_named(context: Context, user: str) -> ErasureProgress:
    """Count what names a user now; nothing is destroyed. Raises Invalid for what is not an id."""
    remaining = await store.count_named(context.graph, check_id(user, "user id"))
    return ErasureProgress(
        user=user, complete=not remaining, destroyed={}, unnamed=0, remaining=remaining
    )


async def erase_users(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Run the job `erase_users`: continue the erasures that were begun. Returns the counts."""
    beat.counts.update({"users": 0, "nodes": 0})
    after = ""
    while users := await store.users_to_erase(context.graph, after, limit=USERS):
        for user in users:
            with beat.isolate_user():
                done = await _erase(context, user, beat.pace, beat.checkpoint)
                beat.counts.update(users=int(done.complete), nodes=sum(done.destroyed.values()))
        after = users[-1]
    return beat.counts


async def _erase(context: Context, user: str, pace: Pace, pause: Pause) -> ErasureProgress:
    destroyed: Counter[str] = Counter()
    unnamed = 0
    remaining: Mapping[str, int] = {}
    try:
        for _ in range(ROUNDS):
            teams = await store.begin(context.graph, user, context.clock())
            owners = [Owner(user), *(Owner(team, is_team=True) for team in teams)]
            for owner in owners:
                await _destroy(context, owner, destroyed, pace, pause)
            for limit in pace.limits("unname"):
                count = await store.remove_name(context.graph, user, limit)
                if not count:
                    break
                unnamed += count
                await pause()
            remaining = await store.count_named(context.graph, user)
            if not remaining:
                await store.end(context.graph, user)
                break
    except _OutOfTime:
        remaining = await store.count_named(context.graph, user) or {"Erasure": 1}
    finally:
        forget_texts(context.embedder)
    return ErasureProgress(
        user=user,
        complete=not remaining,
        destroyed=dict(sorted(destroyed.items())),
        unnamed=unnamed,
        remaining=remaining,
    )


async def _destroy(
    context: Context, owner: Owner, done: Counter[str], pace: Pace, pause: Pause
) -> None:
    """Destroy what an owner has.

    The names come first, so that the notes go quickly, and last the events, which name the notes.
    """
    graph = context.graph

    async def notes(limit: int) -> Mapping[str, int]:
        count = await store.destroy_notes(graph, owner, limit)
        return {"Note": count} if count else {}

    pages: tuple[tuple[str, Page], ...] = (
        ("owned", lambda limit: store.destroy_owned(graph, owner, limit)),
        ("notes", notes),
        ("told", lambda limit: store.destroy_events(graph, owner, limit)),
    )
    for kind, page in pages:
        for limit in pace.limits(kind):
            counts = await page(limit)
            if not counts:
                break
            done.update(counts)
            await pause()
