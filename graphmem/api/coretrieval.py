"""Notes that are recalled together, in the API."""

from datetime import datetime

import strawberry

from graphmem.api.fields import query_of
from graphmem.api.types import Note
from graphmem.operations.commands.recall import ListClusterCandidates


@strawberry.type
class ClusterCandidate:
    """Two notes that were often recalled together; for information only."""

    notes: list[Note]
    co_retrieval_count: int
    first_seen: datetime
    last_seen: datetime


@strawberry.type
class CoRetrievalQuery:
    """Reading which notes are recalled together."""

    cluster_candidates = query_of(ListClusterCandidates, list[ClusterCandidate])
