"""The strength of a memory, against numbers worked out by hand."""

from datetime import UTC, datetime, timedelta
from math import e, log, log2, sqrt

import pytest

from graphmem.domain.activation import activation, relevance, retention

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def ago(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


def test_activation_sums_the_uses_creation_among_them() -> None:
    # Uses 4 h (creation) and 1 h ago: ln(4^-0.5 + 1^-0.5) = ln 1.5.
    assert activation(ago(4), [ago(1)], 1, NOW) == pytest.approx(0.405465, abs=1e-6)
    assert activation(ago(1), [], 0, NOW) == pytest.approx(0.0)
    assert activation(ago(100), [ago(25), ago(4)], 2, NOW) == pytest.approx(log(0.1 + 0.2 + 0.5))


def test_a_new_note_and_a_forgotten_one() -> None:
    assert activation(NOW, [], 0, NOW) == pytest.approx(4.0943, abs=1e-4)  # one second: ln 60
    assert activation(ago(-5), [], 0, NOW) == pytest.approx(4.0943, abs=1e-4)  # clocks differ
    assert activation(ago(e**4), [], 0, NOW) == pytest.approx(-2.0)  # 54.6 h
    assert activation(ago(e**10), [], 0, NOW) == pytest.approx(-5.0)  # 2.5 years


def test_older_accesses_are_spread_between_creation_and_the_oldest_kept() -> None:
    kept = [ago(hours) for hours in (9, 4, 1)]
    older = 10 * (sqrt(100) - sqrt(9)) / (0.5 * (100 - 9))
    expected = log(1 / 10 + 1 / 3 + 1 / 2 + 1 + older)
    assert activation(ago(100), kept, 13, NOW) == pytest.approx(expected)
    assert activation(ago(100), kept, 3, NOW) < activation(ago(100), kept, 4, NOW)
    # All at once: nothing lies between creation and the oldest kept access.
    assert activation(ago(9), [ago(9)], 5, NOW) == pytest.approx(log(2 / 3))


def test_the_approximation_is_near_the_exact_sum() -> None:
    every = [ago(hours) for hours in range(1, 400)]
    exact = activation(ago(400), every, len(every), NOW)
    assert activation(ago(400), every[:20], len(every), NOW) == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(
    ("half_life", "hours", "left"),
    [(168, 0, 1), (168, 168, 0.5), (168, 336, 0.25), (24, 12, sqrt(0.5)), (168, -1, 1)],
)
def test_retention_halves_every_half_life(half_life: float, hours: float, left: float) -> None:
    assert retention(half_life, ago(hours), NOW) == pytest.approx(left)


def test_what_is_pinned_stays() -> None:
    assert retention(None, ago(1e6), NOW) == 1.0
    value = relevance(
        "INFERRED", "EPISODIC", pinned=True, last_used_at=ago(1e5), access_count=0, now=NOW
    )
    assert value == 1.0


@pytest.mark.parametrize(
    ("source", "kind", "hours", "count", "value"),
    [
        ("TOLD", "SEMANTIC", 1, 0, 1.2),
        ("EXPERIENCE", "EPISODIC", 24, 2, 0.7 * e**-0.03 * 2 * 0.8),
        ("INFERRED", "PROCEDURAL", 240, 1, 0.5 * e**-0.3 * log2(3)),
        ("TOLD", "SEMANTIC", 12.5, 0, 1.2 * e**-0.03),  # days are calendar days
    ],
)
def test_relevance(source: str, kind: str, hours: float, count: int, value: float) -> None:
    found = relevance(
        source, kind, pinned=False, last_used_at=ago(hours), access_count=count, now=NOW
    )
    assert found == pytest.approx(value)
