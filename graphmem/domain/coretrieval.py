"""Notes that are recalled together: natural clusters, for information only (L3, component 4)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations


@dataclass(frozen=True, kw_only=True)
class LogEntry:
    """One tracked recall: `cycle` is its number among the user's."""

    at: datetime
    domain: str
    cycle: int
    notes: tuple[str, ...]  # ids, best first


@dataclass(frozen=True, kw_only=True)
class ClusterCandidate:
    """Two notes that were often recalled together."""

    notes: tuple[str, str]
    count: int
    first_seen: datetime
    last_seen: datetime


def cluster_candidates(
    entries: Sequence[LogEntry], threshold: int, most: int
) -> list[ClusterCandidate]:
    """Return the pairs that are in more than `threshold` entries, the most frequent first."""
    alone = Counter(note for entry in entries for note in set(entry.notes))
    counts: Counter[tuple[str, ...]] = Counter()
    for entry in entries:
        frequent = sorted({note for note in entry.notes if alone[note] > threshold})
        counts.update(combinations(frequent, 2))
    chosen = sorted((-count, pair) for pair, count in counts.items() if count > threshold)
    return [_create_candidate(pair, -count, entries) for count, pair in chosen[:most]]


def _create_candidate(
    pair: tuple[str, ...], count: int, entries: Sequence[LogEntry]
) -> ClusterCandidate:
    one, other = pair
    times = [entry.at for entry in entries if one in entry.notes and other in entry.notes]
    return ClusterCandidate(
        notes=(one, other), count=count, first_seen=min(times), last_seen=max(times)
    )
