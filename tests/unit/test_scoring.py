"""The score of BALANCED, by hand."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from graphmem.domain.profiles.why import Why
from graphmem.domain.ranking import Balanced
from graphmem.language.analysis import question_terms
from graphmem.services.recall.expansion import Neighbourhood
from graphmem.services.recall.scoring import (
    LEAST,
    rank_candidates,
    score_by_meaning,
    score_by_meaning_and_words,
)
from graphmem.services.writing.words import words_of
from graphmem.store.recall import Candidate, Neighbour

NO_GATE = Balanced(gate_middle=-10.0)


def saying(content: str, **more: Any) -> Any:
    return SimpleNamespace(
        **{"title": None, "speaker": None, "occurred_at": None} | more, content=content
    )


def candidate(i: str, content: str, near: float = 0.5, **more: object) -> Candidate:
    given: dict[str, Any] = {"title": None, "speaker": None, "occurred_at": None, "around": ()}
    given |= more
    given["around"] = tuple(
        Neighbour(str(n), n == 0, None, words_of(saying(text)))
        for n, text in enumerate(given["around"])
    )
    words = words_of(saying(content, **{name: given[name] for name in given if name != "around"}))
    return Candidate(id=i, start=content[:80], similarity=near, words=words, **given)


def test_the_parts_of_a_score_add_up() -> None:
    found = [candidate("a", "the kiln relay hums"), candidate("b", "rain", near=0.1)]
    like = score_by_meaning_and_words(question_terms("Why does the kiln hum?"), found, NO_GATE)
    assert like.scores["a"].similarity == 0.5
    assert like.scores["a"].keyword == pytest.approx(1.75 * like.coverage)
    assert like.scores["b"].keyword == 0
    assert like.scores["a"].score == pytest.approx(0.5 + 1.75 * like.coverage)


def test_words_of_little_coverage_leave_the_order_to_meaning() -> None:
    found = [candidate(f"n{i}", f"rain number {i} and nothing else", near=i / 10) for i in range(5)]
    question = question_terms("kiln relay clay glaze fire rain oven wood ash")
    like = score_by_meaning_and_words(question, found, Balanced())
    assert like.coverage < 0.05
    assert max(why.keyword or 0.0 for why in like.scores.values()) < 0.01


def test_the_words_around_a_note_count_only_with_the_window() -> None:
    found = [candidate("a", "Yes, yesterday.", around=("Did you fire the kiln?",))]
    question = question_terms("Who fired the kiln?")
    assert (score_by_meaning_and_words(question, found, NO_GATE).scores["a"].keyword or 0) > 0
    alone = score_by_meaning_and_words(question, found, Balanced(gate_middle=-10.0, window=False))
    assert alone.scores["a"].keyword == 0


def test_what_the_person_asked_about_said_counts_more() -> None:
    found = [
        candidate("a", "I was at the lake.", speaker="Femi Ade"),
        candidate("b", "I was at the lake.", speaker="Ruta"),
        candidate("c", "I was at the lake.", speaker=None),
    ]
    like = score_by_meaning_and_words(
        question_terms("Was Ruta at the lake?"), found, Balanced(keyword_weight=0)
    )
    assert like.speakers == {"Ruta"}
    assert [like.scores[i].keyword for i in "abc"] == [0, 0.05, 0]
    half = score_by_meaning_and_words(question_terms("Was Femi at the lake?"), found, Balanced())
    assert half.speakers == frozenset()


def test_dates_and_titles_are_words_of_a_note() -> None:
    at = datetime(2026, 5, 7, tzinfo=UTC)
    found = [
        candidate("a", "It rained.", occurred_at=at),
        candidate("b", "It rained.", title="Kiln"),
    ]
    like = score_by_meaning_and_words(question_terms("7 May 2026"), found, NO_GATE)
    assert (like.scores["a"].keyword or 0) > 0 == like.scores["b"].keyword
    like = score_by_meaning_and_words(question_terms("the kiln"), found, NO_GATE)
    assert (like.scores["b"].keyword or 0) > 0 == like.scores["a"].keyword


def test_nothing_found_and_nothing_asked() -> None:
    assert score_by_meaning_and_words((), [], Balanced()).scores == {}
    assert score_by_meaning_and_words(("x",), [], Balanced()).coverage == 0
    assert score_by_meaning_and_words((), [candidate("a", "x")], Balanced()).coverage == 0
    assert score_by_meaning([candidate("a", "x")]).scores["a"].score == 0.5


def why(score: float) -> Why:
    return Why(similarity=score, keyword=0.0, graph=0.0)


def test_the_walk_decides_the_order_and_the_parts_still_add_up() -> None:
    base = {"a": why(0.8), "b": why(0.4)}
    order = rank_candidates(base, Neighbourhood(shares={"a": 0.2, "b": 0.1, "c": 0.4}))
    assert [i for i, _ in order] == ["c", "a", "b"]
    assert [each.score for _, each in order] == pytest.approx([0.8, 0.4, 0.2])
    for i, each in order:
        assert each.similarity == (base[i].similarity if i in base else 0.0)
        assert sum(value for _, value in each.summands) == pytest.approx(each.score)


def test_without_a_walk_likeness_decides_and_ids_break_ties() -> None:
    order = rank_candidates({"b": why(0.4), "a": why(0.4), "c": why(0.9)}, Neighbourhood())
    assert [i for i, _ in order] == ["c", "a", "b"]


def test_the_walk_also_decides_where_all_are_unlike_the_question() -> None:
    order = rank_candidates(
        {"a": why(-0.3), "b": why(-0.1)}, Neighbourhood(shares={"a": 0.6, "b": 0.3})
    )
    assert [i for i, _ in order] == ["a", "b"]
    assert order[0][1].score == pytest.approx(LEAST)


def test_notes_that_only_a_name_leads_to_are_found_where_nothing_is_like_the_question() -> None:
    order = rank_candidates({}, Neighbourhood(shares={"b": 0.4, "a": 0.2}))
    assert [i for i, _ in order] == ["b", "a"]
    assert order[0][1].score == pytest.approx(LEAST)
