"""Of notes that contradict each other the newest comes first."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some_notes import NOW, note

from graphmem.domain.notes import Status
from graphmem.domain.profiles.why import Why
from graphmem.services.recall.expansion import Neighbourhood
from graphmem.services.recall.newest import put_newest_first, updates_of

NOTES = {
    name: note(id=name, created_at=NOW + timedelta(days=day)) for day, name in enumerate("abcdef")
}
PAIRS = [(one, other) for one in NOTES for other in NOTES if one < other]


def whys(order: str) -> dict[str, Why]:
    return {name: Why(similarity=1 - place / 10) for place, name in enumerate(order)}


def test_the_newer_takes_the_place_and_the_score_of_the_older() -> None:
    found = put_newest_first(NOTES, whys("dab"), [("a", "b")])
    assert found.order == ["d", "b", "a"]
    assert found.by == {"a": "b"}
    assert found.why["b"].score == pytest.approx(found.why["a"].score)
    assert found.why["a"] == whys("dab")["a"]


def test_what_is_so_since_when_counts_before_when_it_was_written() -> None:
    notes = NOTES | {"b": replace(NOTES["b"], valid_from=NOW - timedelta(days=9))}
    found = put_newest_first(notes, whys("ba"), [("a", "b")])
    assert (found.order, found.by) == (["a", "b"], {"b": "a"})


def test_the_newer_becomes_a_hit_the_older_does_not() -> None:
    assert put_newest_first(NOTES, whys("a"), [("a", "c")]).order == ["c", "a"]
    found = put_newest_first(NOTES, whys("c"), [("a", "c")])
    assert (found.order, found.by) == (["c"], {})


def test_what_can_not_be_read_any_more_takes_part_in_nothing() -> None:
    left = {name: NOTES[name] for name in "ab"}
    assert put_newest_first(left, whys("acb"), [("a", "c"), ("b", "c")]).order == ["a", "b"]


@given(st.permutations("abcdef"), st.integers(0, 6), st.sets(st.sampled_from(PAIRS)))
def test_the_newer_is_always_first(
    order: list[str], most: int, pairs: set[tuple[str, str]]
) -> None:
    before = whys("".join(order[:most]))
    found = put_newest_first(NOTES, before, sorted(pairs))
    assert {*before} <= {*found.order}
    assert len({*found.order}) == len(found.order)
    scores = [found.why[name].score for name in found.order]
    assert scores == pytest.approx(sorted(scores, reverse=True))
    for older, newer in pairs:
        if older in found.order:
            assert found.order.index(newer) < found.order.index(older)
            assert older in found.by


def test_pairs_are_those_of_the_hits() -> None:
    area = Neighbourhood(updates=frozenset({("a", "b"), ("e", "f")}))
    assert updates_of(area, ["b", "c"]) == [("a", "b")]


@pytest.mark.parametrize("status", [Status.ARCHIVED, Status.SUPERSEDED])
def test_what_was_put_away_is_newer_than_nothing(status: Status) -> None:
    notes = NOTES | {"b": replace(NOTES["b"], status=status)}
    found = put_newest_first(notes, whys("ab"), [("a", "b")])
    assert (found.order, found.by) == (["a", "b"], {})
