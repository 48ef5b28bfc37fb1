"""The jobs that reflect by themselves (Moltbot 10.1).

They run each night, and where a long session has ended or many episodes have come. As always, what
they propose waits for the user.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from graphmem.domain.reflection import Cause
from graphmem.errors import GraphmemError
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.job_runs.users import pages_of_users, user_of
from graphmem.services.reflection.reflecting import reflect_if_new
from graphmem.store import jobs as store
from graphmem.store.graph import Row

REFLECTOR: Final = "system:reflection"  # the actor; no user or agent has a colon in its id
USERS: Final = 20  # read by one query
RECENT: Final = timedelta(days=7)  # age up to which an ended session is read
COUNTS: Final = ("users", "reflections", "items")


async def reflect_memory(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Reflect for each user whose memory has grown; returns the counts of the run."""
    beat.counts.update(dict.fromkeys(COUNTS, 0))

    async def read(after: str, limit: int) -> list[Row]:
        return await store.users_to_reflect(context.graph, after, limit=limit)

    async for _, rows in pages_of_users(context, beat, read, USERS, user_of):
        for row in rows:
            beat.counts.update(users=1)
            if row["due"]:
                await _reflect(context, beat, row["user"], None, Cause.SCHEDULE)
            await beat.checkpoint(row["user"], of=row["user"])
    return beat.counts


async def reflect_episodes(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Reflect as agents of long ended sessions, and for users with many new episodes.

    Returns the counts of the run.
    """
    beat.counts.update(dict.fromkeys(COUNTS, 0))
    rules = context.reflecting

    async def read(after: str, limit: int) -> list[Row]:
        return await store.users_with_episodes(
            context.graph,
            after,
            least=rules.session_notes,
            threshold=rules.threshold,
            since=context.clock() - RECENT,
            limit=limit,
        )

    async for _, rows in pages_of_users(context, beat, read, USERS, user_of):
        for row in rows:
            beat.counts.update(users=1)
            sessions = row["sessions"]
            for agent in dict.fromkeys(each["agent"] for each in sessions):
                await _reflect(context, beat, row["user"], agent, Cause.SESSION)
            if sessions:
                ids = [each["id"] for each in sessions]
                await store.keep_reflected(context.graph, ids, context.clock())
            if row["episodes"] >= rules.threshold:
                await _reflect(context, beat, row["user"], None, Cause.EPISODES)
            await beat.checkpoint(row["user"], of=row["user"])
    return beat.counts


async def _reflect(
    context: Context, beat: JobHeartbeat, user: str, agent: str | None, cause: Cause
) -> None:
    """Reflect as the user or an agent.

    One that no longer exists, or that reflects at this moment, is left out.
    """
    await beat.checkpoint()
    with beat.isolate_user():
        try:
            access = await open_access(context, user, agent)
            made = await reflect_if_new(context, _as_job(access), cause)
        except GraphmemError as error:
            if error.retryable:
                raise
            return
        if made is not None:
            beat.counts.update(reflections=1, items=len(made.reflection.items))


def _as_job(access: Access) -> Access:
    return replace(access, viewer=replace(access.viewer, acting_as=REFLECTOR))
