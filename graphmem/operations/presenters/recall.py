"""Notes that are recalled together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import coretrieval
from graphmem.domain.notes import Note


@dataclass(frozen=True, kw_only=True)
class ClusterCandidate:
    """Two notes that were often recalled together; for information only."""

    notes: tuple[Note, Note]
    co_retrieval_count: int
    first_seen: datetime
    last_seen: datetime


def candidates_of(
    found: Sequence[coretrieval.ClusterCandidate], notes: Mapping[str, Note]
) -> list[ClusterCandidate]:
    """Return the pairs whose two notes are given."""
    return [
        ClusterCandidate(
            notes=(notes[each.notes[0]], notes[each.notes[1]]),
            co_retrieval_count=each.count,
            first_seen=each.first_seen,
            last_seen=each.last_seen,
        )
        for each in found
        if all(i in notes for i in each.notes)
    ]
