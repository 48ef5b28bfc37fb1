"""The user whose folder a service syncs."""

from graphmem.store.graph import Graph


async def find_user(graph: Graph, user: str) -> str | None:
    """Find a user by id; None if nobody has written anything for them yet."""
    row = await graph.read_one("job:sync_files", user=user)
    return None if row is None else row["user"]
