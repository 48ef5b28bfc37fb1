"""Pairs of notes that are recalled together."""

from datetime import UTC, datetime, timedelta

import pytest

from graphmem.domain.coretrieval import ClusterCandidate, LogEntry, cluster_candidates
from graphmem.domain.profiles.parameters import CoRetrieval

START = datetime(2026, 3, 1, tzinfo=UTC)


def entry(cycle: int, *notes: str) -> LogEntry:
    at = START + timedelta(days=cycle)
    return LogEntry(at=at, domain="general", cycle=cycle, notes=notes)


@pytest.mark.feature("L3-11", "L3-T18")
def test_a_pair_is_a_candidate_above_the_threshold() -> None:
    log = [entry(i, "b", "a", "c") for i in range(5)]
    assert cluster_candidates(log, 5, 50) == []
    log += [entry(7, "a", "x", "b"), entry(9, "b", "y")]
    assert cluster_candidates(log, 5, 50) == [
        ClusterCandidate(
            notes=("a", "b"),
            count=6,
            first_seen=START,
            last_seen=START + timedelta(days=7),
        )
    ]


def test_the_most_frequent_come_first_and_not_more_than_asked_for() -> None:
    log = [entry(i, "a", "b", "c") for i in range(3)] + [entry(i, "c", "b") for i in range(2)]
    found = cluster_candidates(log, 2, 50)
    assert [(each.notes, each.count) for each in found] == [
        (("b", "c"), 5),
        (("a", "b"), 3),
        (("a", "c"), 3),
    ]
    assert cluster_candidates(log, 2, 2) == found[:2]
    assert cluster_candidates([entry(1), entry(2, "a"), entry(3, "a", "a")], 1, 50) == []


@pytest.mark.feature("L3-10")
def test_the_numbers_are_the_documents() -> None:
    assert (CoRetrieval().max_entries, CoRetrieval().cluster_threshold) == (500, 5)
    with pytest.raises(ValueError, match="max_entries"):
        CoRetrieval(max_entries=0)
