"""The last stage of BALANCED: curves, features and the order they give."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.profiles.why import Why
from graphmem.domain.ranking import bm25
from graphmem.domain.reranking import (
    FILE,
    FIRST,
    LIKENESS,
    WALK,
    Curve,
    Reranking,
    load_curves,
    parse_curves,
)
from graphmem.language.analysis import question_terms
from graphmem.language.languages import Language
from graphmem.language.text_features import TextFeatures, features_of
from graphmem.language.word_index import index_of
from graphmem.services.recall.expansion import Neighbourhood
from graphmem.services.recall.reranking import Seen, features, only_reached_by_graph, rerank
from graphmem.services.recall.scoring import Likeness
from graphmem.services.writing.words import count_terms
from graphmem.store.recall import Candidate, Neighbour

TERMS = question_terms("Kiln relay?")


def note(i: str, text: str, **more: Any) -> Candidate:
    usual = {"title": None, "speaker": None, "occurred_at": None, "similarity": 0.5}
    words = index_of((text,), text, Language.ENGLISH)
    return Candidate(id=i, start=text, words=words, traits=features_of(text), **usual | more)


def walked(*ids: str) -> list[tuple[str, Why]]:
    parts = enumerate(ids, 1)
    return [(i, Why(similarity=0.5, keyword=0.0, graph=1 / place - 0.5)) for place, i in parts]


def seen(*found: Candidate, reached: Sequence[Candidate] = (), **more: Any) -> Seen:
    _, idf = bm25(TERMS, count_terms(TERMS, found))
    return Seen(
        query=more.pop("query", "kiln relay"),
        terms=TERMS,
        found={each.id: each for each in found},
        reached={each.id: each for each in reached},
        like=Likeness(scores={}, idf=idf, speakers=more.pop("speakers", frozenset())),
        area=more.pop("area", Neighbourhood()),
    )


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("Did you see it?", TextFeatures.ASKS),
        ("It rained yesterday.", TextFeatures.DATED),
        ("Built in 1998.", TextFeatures.DATED),
        ("It weighs 1998000 grams.", TextFeatures(0)),
        ("He and I went.", TextFeatures.FIRST_PERSON),
        ("The kiln belongs to Ida.", TextFeatures.NAMES),
        ("Clay. Glaze.", TextFeatures(0)),
        ("", TextFeatures(0)),
    ],
)
def test_traits_of_a_text(text: str, traits: TextFeatures) -> None:
    assert features_of(text) == traits


def test_a_curve_is_straight_between_its_values() -> None:
    curve = Curve((0.0, 1.0, -1.0))
    assert [curve.at(x) for x in (-1, 0, 0.25, 0.5, 0.75, 1, 2)] == [0, 0, 0.5, 1, 0, -1, -1]


def test_the_learned_numbers_are_few_and_each_feature_says_why() -> None:
    text = (files("graphmem.domain") / FILE).read_text(encoding="utf-8")
    curves = parse_curves(text).curves
    assert 0 < sum(len(curve.values) for curve in curves.values()) <= 80
    assert text.count("why = ") == len(curves)
    assert all(value == round(value, 2) for curve in curves.values() for value in curve.values)


@given(
    st.lists(
        st.dictionaries(st.sampled_from([*load_curves().curves]), st.floats(0, 1)),
        min_size=1,
        max_size=20,
    ),
    st.floats(0.001, 3),
)
def test_scores_add_up_to_at_most_the_best(notes: list[dict[str, float]], best: float) -> None:
    parts = load_curves().scores(notes, best)
    sums = [sum(value for _, value in each) for each in parts]
    assert max(sums) == pytest.approx(best)
    assert min(sums) >= -1e-9
    assert len({dict(each)[LIKENESS] for each in parts}) == 1
    raw = [sum(dict(load_curves().parts(each)).values()) for each in notes]
    order = sorted(range(len(notes)), key=lambda i: raw[i])
    assert all(sums[a] <= sums[b] + 1e-9 for a, b in pairwise(order))


def test_the_first_are_put_in_order_anew_and_the_others_stay_below_them() -> None:
    ids = [f"n{number:03}" for number in range(FIRST + 5)]
    order = walked(*ids)
    curves = Reranking({"asks": Curve((0.0, -1.0))})
    found = [note(i, "Is it?" if number == 0 else "It is.") for number, i in enumerate(ids)]
    new = rerank(order, seen(*found), curves)
    assert [i for i, _ in new] == [*ids[1:FIRST], ids[0], *ids[FIRST:]]
    scores = [why.score for _, why in new]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(order[0][1].score)
    assert dict(new[-1][1].summands).keys() == {WALK}


@pytest.mark.parametrize("curves", [load_curves(), Reranking({"asks": Curve((0.0, -1.0))})])
def test_fewer_are_the_first_of_more_also_where_many_are_worth_the_same(curves: Reranking) -> None:
    ids = [f"n{number:03}" for number in reversed(range(FIRST + 5))]
    found = [note(i, "Is it?" if number % 3 == 0 else "It is.") for number, i in enumerate(ids)]
    whole = rerank(walked(*ids), seen(*found), curves)
    for most in range(1, len(ids)):
        assert rerank(walked(*ids), seen(*found), curves, most) == whole[:most]


def test_a_note_without_a_feature_is_no_better_or_worse_for_it() -> None:
    curves = Reranking({"asks": Curve((0.3, -1.0)), "answers": Curve((-0.2, 0.4))})
    old = note("a", "It is.")._replace(traits=None)
    [parts] = curves.scores(features(walked("a"), seen(old)), 1.0)
    assert dict(parts) == {LIKENESS: 1.0}


def test_a_question_that_is_unlike_everything_has_an_order_too() -> None:
    given = seen(note("a", "A kiln.", similarity=-0.4), note("b", "A relay.", similarity=-0.2))
    scores = {i: Why(similarity=-0.5, keyword=0.1, graph=0.0) for i in "ab"}
    given = replace(given, like=replace(given.like, scores=scores))
    for row in features(walked("a", "b"), given):
        assert all(0 <= value <= 1 for value in row.values())
    assert len(rerank(walked("a", "b"), given, load_curves())) == 2


def test_what_follows_a_question_is_an_answer() -> None:
    before = Neighbour("q", True, features_of("Where is the kiln relay?"), b"")
    after = Neighbour("z", False, features_of("Where is the kiln relay?"), b"")
    found = (
        note("q", "Where is the kiln relay?", episode="e"),
        note("a", "In the shed.", episode="e", around=(before,)),
        note("b", "In the shed.", episode="e", around=(after,)),
    )
    q, a, b = features(walked("q", "a", "b"), seen(*found))
    assert a["answers"] == 1
    assert a["answers the words"] == pytest.approx(1)
    assert a["before"] == pytest.approx(1)
    assert not {"answers", "before"} & (q.keys() | b.keys())
    assert q["asks"] == 1


def test_words_that_better_notes_have_are_not_fresh() -> None:
    found = note("a", "the kiln"), note("b", "kiln of clay"), note("c", "a relay")
    a, b, c = features(walked("a", "b", "c"), seen(*found))
    assert a["alone.fresh"] == a["alone.words"] > 0
    assert b["alone.fresh"] == 0
    assert c["alone.fresh"] == c["alone.words"] > 0


def test_turns_of_a_conversation_have_curves_of_their_own() -> None:
    found = note("a", "the kiln", title="Kiln"), note("b", "the kiln"), note("c", "it", episode="e")
    for row, group in zip(features(walked("a", "b", "c"), seen(*found)), "aat", strict=True):
        own = {"a": "alone", "t": "turn"}[group]
        assert {name.partition(".")[0] for name in row if "." in name} == {own}


def test_turns_of_a_chat_with_an_assistant_have_curves_of_their_own() -> None:
    found = (
        note("a", "Where is the kiln?", episode="e", speaker="Dara"),
        note("b", "In Halden, since May.", episode="e", speaker="Assistant"),
        note("c", "The kiln is in Halden.", episode="f", speaker="Dara"),
        note("d", "I moved the kiln.", episode="g", speaker="user"),
        note("e", "The kiln.", speaker="assistant"),
    )
    rows = features(walked(*"abcde"), seen(*found))
    groups = [{name.partition(".")[0] for name in row if "." in name} for row in rows]
    assert groups == [{"chat"}, {"chat"}, {"turn"}, {"chat"}, {"alone"}]
    assert [row.get("reply") for row in rows] == [0, 1, None, 0, None]
    assert [row.get("chat.dated") for row in rows] == [0, 1, None, 0, None]
    assert not {"asks", "before", "answers", "episode"} & {*rows[0], *rows[1]}


def test_a_time_is_wanted_only_where_one_is_asked_for() -> None:
    found = note("a", "It came yesterday.")
    [plain] = features(walked("a"), seen(found, query="What came?"))
    [timed] = features(walked("a"), seen(found, query="When did it come?"))
    assert "dated, when asked" not in plain
    assert timed["dated, when asked"] == 1


def test_the_next_step_of_a_path_is_what_a_better_note_names() -> None:
    area = Neighbourhood(named_in={"b": frozenset({"a"}), "c": frozenset({"z"})})
    found = (
        note("a", "x", title="Clay"),
        note("b", "y", title="Shed"),
        note("c", "y", title="Kiln"),
    )
    a, b, c = features(walked("a", "b", "c"), seen(*found, area=area))
    assert [row["title named"] for row in (a, b, c)] == [0, 1, 0]
    assert [row["title asked"] for row in (a, b, c)] == [0, 0, 1]


def test_notes_that_only_the_graph_reached_have_the_features_that_are_known() -> None:
    far = note("b", "kiln", title="Kiln", similarity=0.4)
    order = walked("a", "b")
    whole = seen(note("a", "x"), reached=[far])
    assert only_reached_by_graph(order, whole.found) == ["b"]
    _, b = features(order, whole)
    assert b["alone.meaning"] == pytest.approx(0.8)
    new = dict(rerank(order, whole, load_curves()))
    assert new["b"].similarity == 0.4
    _, unknown = features(order, seen(note("a", "x")))
    assert unknown.keys() == {"alone.rank", "alone.walk"}


@given(st.randoms(use_true_random=False))
def test_features_that_are_known_already_are_those_that_would_be_found(rng: Random) -> None:
    """What the graph alone reached is looked up late: features from before it are used again."""
    ids = [f"n{place}" for place in range(12)]
    notes = []
    for place, i in enumerate(ids):
        said = rng.choice(("kiln", "relay", "kiln relay?", "clay", "Where is the kiln?"))
        more: dict[str, Any] = {"speaker": rng.choice((None, "Ida", "Ruta", "assistant", "User"))}
        if rng.random() < 0.7:
            more["episode"] = rng.choice(("e", "f"))
        if notes and rng.random() < 0.5:
            last = notes[-1]
            more["around"] = (Neighbour(last.id, True, last.traits, last.words),)
        if rng.random() < 0.3:
            more["title"] = rng.choice(("Kiln", "Relay"))
        notes.append(note(i, f"{said} {place}", similarity=rng.random(), **more))
    reached = [each for each in notes if rng.random() < 0.3]
    found = [each for each in notes if each not in reached]
    live = [each for each in reached if rng.random() < 0.8]  # others are gone by now
    order = walked(*rng.sample(ids, len(ids)))
    before = features(order, seen(*found))
    whole = seen(*found, reached=live)
    for row, plain in zip(features(order, whole, before), features(order, whole), strict=True):
        assert row == pytest.approx(plain)


def test_who_else_said_it() -> None:
    found = note("a", "x", speaker="Ida"), note("b", "y", speaker="Ruta"), note("c", "z")
    rows = features(walked("a", "b", "c"), seen(*found, speakers=frozenset({"Ida"})))
    assert [row.get("other speaker") for row in rows] == [0, 1, None]


def test_an_episode_that_is_asked_for_has_several_notes() -> None:
    found = [note(i, "x", episode=i[0]) for i in ("a1", "a2", "b1")]
    a1, a2, b1 = features(walked("a1", "a2", "b1"), seen(*found))
    assert a1["episode"] == a2["episode"] == 1 > b1["episode"] > 0
