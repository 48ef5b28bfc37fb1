"""The reads of the jobs that maintain a memory."""

from datetime import datetime

from graphmem.store.graph import Graph, Row


async def users_to_maintain(
    graph: Graph, after: str, *, every: int, cycles: int, now: datetime, limit: int
) -> list[Row]:
    """Return users with `every` new recalls since their last maintenance, in the order of their
    ids, after one: `user`, `cycle` (the number of their recalls), whether some are new
    (`recalled`), `dormantCandidates` (notes not accessed in the last `cycles` recalls), `audiences`
    as [key, whether there are new notes]."""
    return await graph.read(
        "job:maintain_memory", after=after, every=every, cycles=cycles, now=now, limit=limit
    )


async def keep_maintained(graph: Graph, user: str, cycle: int, now: datetime) -> None:
    """Record the number of recalls at which a user's memory was maintained."""
    await graph.write_one("jobs/maintained", user=user, cycle=cycle, now=now)


async def users_to_resolve(graph: Graph, after: str, *, since: datetime, limit: int) -> list[Row]:
    """Return users in the order of their ids, after one: `user` and the keys of the `audiences`
    that have notes since a time."""
    return await graph.read("job:resolve_duplicates", after=after, since=since, limit=limit)
