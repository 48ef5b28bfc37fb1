"""The arithmetic of ranking, against numbers worked out by hand."""

import random
from collections.abc import Mapping
from math import log
from typing import TypeVar

import pytest

from graphmem.domain.ranking import SUREST, Balanced, bm25, confidence, coverage_gate
from graphmem.domain.scopes import UNSURE
from graphmem.services.recall.pagerank import personalised_pagerank

V = TypeVar("V")


def test_bm25_by_hand() -> None:
    notes = {"a": (2, {"kiln": 1, "relay": 1}), "b": (4, {"kiln": 2}), "c": (1, {})}
    scores, idf = bm25(["kiln", "relay"], notes)
    kiln, relay = log(1 + 1.5 / 2.5), log(1 + 2.5 / 1.5)
    average = 7 / 3
    norm_a = 1.2 * (0.25 + 0.75 * 2 / average)
    norm_b = 1.2 * (0.25 + 0.75 * 4 / average)
    assert scores["a"] == pytest.approx(kiln / (1 + norm_a) + relay / (1 + norm_a))
    assert scores["b"] == pytest.approx(kiln * 2 / (2 + norm_b))
    assert scores["c"] == 0
    assert sum(idf.values()) == pytest.approx(kiln + relay)


def test_bm25_of_nothing() -> None:
    assert bm25([], {"a": (1, {})})[0] == {"a": 0}
    assert bm25(["x"], {})[0] == {}
    assert bm25(["x"], {"a": (0, {})})[0] == {"a": 0}


def test_a_term_asked_twice_counts_once() -> None:
    notes = {"a": (1, {"x": 1}), "b": (1, {})}
    assert bm25(["x", "x"], notes) == bm25(["x"], notes)


def test_the_gate_rises_from_nothing_to_one() -> None:
    low, middle, high = (coverage_gate(share, Balanced()) for share in (0.1, 0.15, 0.2))
    assert coverage_gate(0, Balanced()) < 0.01 < low < middle < high < 0.99
    assert middle == pytest.approx(0.5)
    assert coverage_gate(1, Balanced()) > 0.99
    assert coverage_gate(0, Balanced(gate_middle=-10)) == pytest.approx(1)


@pytest.mark.feature("MOLT-92")
def test_confidence_is_low_where_neither_meaning_nor_words_fit() -> None:
    assert confidence(0.3, 0.2) < 0.3 < confidence(0.42, 0.0) < confidence(0.42, 0.35)
    assert 0.7 < confidence(0.3, 0.5) <= SUREST
    assert 0.7 < confidence(0.6, 0.0) <= SUREST
    assert confidence(-1.0, 0.0) == pytest.approx(0, abs=1e-3)
    assert confidence(0.9, 0.9) == pytest.approx(SUREST, abs=1e-3)


@pytest.mark.feature("MOLT-92")
def test_an_answer_that_others_said_is_less_sure() -> None:
    by_both, by_others = confidence(0.5, 0.3, said=0.5), confidence(0.5, 0.3, said=0.0)
    assert confidence(0.5, 0.3) > by_both > by_others
    stretch = (SUREST - UNSURE) / (1 - UNSURE)  # of what is above UNSURE
    whole, rest = ((each - UNSURE) / stretch for each in (confidence(0.5, 0.3), by_others))
    assert rest + UNSURE == pytest.approx(0.8 * (whole + UNSURE))


EDGES = {
    "a": {"b": 1.0, "c": 3.0},
    "b": {"a": 1.0},
    "c": {"d": 2.0, "a": 1.0},
    "e": {"a": 1.0},
}


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85])
def test_pagerank_adds_up_to_one(damping: float) -> None:
    rank = personalised_pagerank(EDGES, {"a": 2.0, "e": 1.0, "b": 0.0}, damping=damping)
    assert sum(rank.values()) == pytest.approx(1)
    assert all(share >= 0 for share in rank.values())


def test_pagerank_of_two_nodes_by_hand() -> None:
    # x = 1/2 + y/2 and y = x/2, since the walk restarts at a: x = 2/3, y = 1/3.
    rank = personalised_pagerank({"a": {"b": 1.0}, "b": {"a": 1.0}}, {"a": 1.0}, rounds=60)
    assert rank["a"] == pytest.approx(2 / 3)
    assert rank["b"] == pytest.approx(1 / 3)


def test_pagerank_follows_weights_and_stays_where_it_can_reach() -> None:
    rank = personalised_pagerank(EDGES, {"a": 1.0})
    assert rank["c"] == pytest.approx(3 * rank["b"])
    assert "e" not in rank
    assert personalised_pagerank(EDGES, {}) == {}
    assert personalised_pagerank({}, {"z": 3.0}) == {"z": pytest.approx(1.0)}


@pytest.mark.parametrize("seed", range(10))
def test_pagerank_does_not_depend_on_the_order_of_rows(seed: int) -> None:
    draw = random.Random(seed)
    nodes = [f"n{i}" for i in range(60)]
    edges = {a: {b: draw.random() for b in draw.sample(nodes, 12)} for a in nodes}
    reset = {a: draw.random() for a in nodes[:20]}
    other = {a: dict(_shuffled(ends, draw)) for a, ends in _shuffled(edges, draw)}
    first = personalised_pagerank(edges, reset)
    assert personalised_pagerank(other, dict(_shuffled(reset, draw))) == first


def _shuffled(of: Mapping[str, V], draw: random.Random) -> list[tuple[str, V]]:
    return draw.sample([*of.items()], len(of))
