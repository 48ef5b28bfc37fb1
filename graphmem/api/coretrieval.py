"""Notes that are recalled together, in the API."""

import strawberry

from graphmem.api.fields import query_of
from graphmem.api.object_types import object_type
from graphmem.api.types import Note
from graphmem.operations.commands.recall import ListClusterCandidates
from graphmem.operations.presenters import recall

ClusterCandidate = object_type(recall.ClusterCandidate, notes=Note)


@strawberry.type
class CoRetrievalQuery:
    """Reading which notes are recalled together."""

    cluster_candidates = query_of(ListClusterCandidates, list[ClusterCandidate])
