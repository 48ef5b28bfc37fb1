"""The log of what was recalled together, and the pairs that show in it."""

from graphmem.domain.coretrieval import ClusterCandidate, LogEntry, cluster_candidates
from graphmem.services.context import Access, Context
from graphmem.store import recall as store


async def entries(context: Context, access: Access) -> list[LogEntry]:
    """The newest tracked recalls, newest first: the user's, or for an agent its own; of their
    notes those that the viewer may read."""
    agent = access.viewer.agent
    return await store.entries(
        context.graph,
        access.viewer.user,
        agent.id if agent else None,
        access.by_name,
        now=context.clock(),
        limit=context.ranking.co_retrieval.max_entries,
    )


async def list_candidates(context: Context, access: Access, first: int) -> list[ClusterCandidate]:
    """Pairs of notes that were recalled together more often than the threshold, the most frequent
    first."""
    threshold = context.ranking.co_retrieval.cluster_threshold
    return cluster_candidates(await entries(context, access), threshold, first)
