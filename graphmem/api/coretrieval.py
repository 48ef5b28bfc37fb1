"""What is recalled together, in the API."""

from datetime import datetime

import strawberry

from graphmem.api import inputs
from graphmem.api.context import Info
from graphmem.api.types import Note, load_notes
from graphmem.services.recall import coretrieval


@strawberry.type
class ClusterCandidate:
    """Two notes that were often recalled together; it only informs."""

    notes: list[Note]
    co_retrieval_count: int
    first_seen: datetime
    last_seen: datetime


@strawberry.type
class CoRetrievalQuery:
    """Reading what is recalled together."""

    @strawberry.field
    async def cluster_candidates(
        self, info: Info, first: int | None = 50
    ) -> list[ClusterCandidate]:
        """Pairs of readable notes that were recalled together more than 5 times, the most frequent
        first; an agent is told of its own recalls."""
        found = await coretrieval.list_candidates(
            info.context.service, info.context.access, inputs.or_default(first, 50)
        )
        ids = dict.fromkeys(note for each in found for note in each.notes)
        notes = {note.id: note for note in await load_notes(info, ids)}
        return [
            ClusterCandidate(
                notes=[notes[strawberry.ID(i)] for i in each.notes],
                co_retrieval_count=each.count,
                first_seen=each.first_seen,
                last_seen=each.last_seen,
            )
            for each in found
            if all(i in notes for i in each.notes)
        ]
