"""The numbers of forgetting, against the documents."""

from datetime import UTC, datetime, timedelta
from math import exp
from typing import Any

import pytest

from graphmem.domain.activation import relevance
from graphmem.domain.decay import Decay, status_by
from graphmem.domain.notes import Status

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def of(kind: str, **given: Any) -> float:
    """The relevance of a note that was not used for ten days."""
    used = NOW - timedelta(days=10)
    known = {"pinned": False, "last_used_at": used, "access_count": 0, "now": NOW}
    return relevance("EXPERIENCE", kind, **{**known, **given})


@pytest.mark.feature("MOLT-34")
def test_the_sample_of_the_formula() -> None:
    assert of("SEMANTIC") == pytest.approx(0.622, abs=5e-4)


@pytest.mark.parametrize(
    ("source", "kind", "accesses", "days"),
    [
        ("TOLD", "SEMANTIC", 0, (30, 60, 106)),
        ("EXPERIENCE", "SEMANTIC", 0, (18, 48, 95)),
        ("EXPERIENCE", "SEMANTIC", 5, (52, 83, 129)),
        ("EXPERIENCE", "EPISODIC", 0, (4, 35, 81)),
    ],
)
def test_the_days_that_the_documentation_tells(
    source: str, kind: str, accesses: int, days: tuple[int, int, int]
) -> None:
    def status(day: int) -> Status:
        used = NOW - timedelta(days=day)
        found = relevance(
            source, kind, pinned=False, last_used_at=used, access_count=accesses, now=NOW
        )
        return status_by(found, Decay())

    alive = (Status.ACTIVE, Status.FADING, Status.DORMANT)
    assert tuple(status(day - 1) for day in days) == alive
    assert tuple(status(day) for day in days) == (*alive[1:], Status.ARCHIVED)


@pytest.mark.feature("MOLT-36")
def test_the_weights_of_five_notes_of_one_age() -> None:
    left = 0.7 * exp(-0.3)
    assert of("SEMANTIC", core=True) == pytest.approx(left * 1.5)
    assert of("EPISODIC") == pytest.approx(left * 0.8)
    assert of("SEMANTIC") == pytest.approx(left * 1.2)
    assert of("PROCEDURAL") == pytest.approx(left * 1.0)
    assert of("EPISODIC", pinned=True) == 1.0


@pytest.mark.feature("MOLT-37")
@pytest.mark.parametrize(
    ("value", "status"),
    [
        (7.0, Status.ACTIVE),
        (0.5, Status.ACTIVE),
        (0.49, Status.FADING),
        (0.2, Status.FADING),
        (0.19, Status.DORMANT),
        (0.05, Status.DORMANT),
        (0.04, Status.ARCHIVED),
        (0.0, Status.ARCHIVED),
    ],
)
def test_status_goes_by_relevance(value: float, status: Status) -> None:
    assert status_by(value, Decay()) is status


@pytest.mark.feature("MOLT-94")
def test_each_number_changes_what_it_says() -> None:
    twice = Decay(weights={"semantic": 2})
    assert of("SEMANTIC", decay=Decay(rate=0.1)) == pytest.approx(0.7 * exp(-1) * 1.2)
    assert of("SEMANTIC", decay=twice) == pytest.approx(0.7 * exp(-0.3) * 2)
    assert of("EPISODIC", decay=twice) == of("EPISODIC")
    assert status_by(0.06, Decay(archive_threshold=0.1)) is Status.ARCHIVED


@pytest.mark.parametrize(
    "wrong",
    [
        {"rate": -1},
        {"rate": float("nan")},
        {"weights": {"other": 1}},
        {"weights": {"core": -1}},
        {"archive_threshold": 0.3},
        {"prune_threshold": float("inf")},
        {"min_age": -1},
    ],
)
def test_numbers_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be from|knows"):
        Decay(**wrong)
