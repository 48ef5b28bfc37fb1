"""The log of notes that were recalled together, and the pairs that stand out in it."""

from graphmem.domain.coretrieval import ClusterCandidate, LogEntry, cluster_candidates
from graphmem.services.context import Access, Context
from graphmem.store import recall as store


async def list_log_entries(context: Context, access: Access) -> list[LogEntry]:
    """Load the newest tracked recalls, newest first: the user's own, or for an agent the agent's.

    Of their notes, only those that the viewer may read are included.
    """
    agent = access.viewer.agent
    return await store.list_log_entries(
        context.graph,
        access.viewer.user,
        agent.id if agent else None,
        access.by_name,
        now=context.clock(),
        limit=context.ranking.co_retrieval.max_entries,
    )


async def list_candidates(context: Context, access: Access, first: int) -> list[ClusterCandidate]:
    """List pairs of notes that were recalled together more often than the threshold.

    The most frequent pairs come first.
    """
    threshold = context.ranking.co_retrieval.cluster_threshold
    return cluster_candidates(await list_log_entries(context, access), threshold, first)
