"""Learning the last stage: `bench/learn.py` on made examples."""

import numpy as np
import pytest

from bench.benchmarks import Asked
from bench.learn import FEATURES, FOLDS, Example, crossed, learn, shares, text_of
from graphmem.domain.reranking import parse_curves

NAMES = list(FEATURES)


def examples(count: int = 60) -> list[Example]:
    """Questions whose answers don't ask, mostly have the words, and are at a place by chance."""
    drawn = np.random.default_rng(3)
    made = []
    for number in range(count):
        rows = np.full((20, len(NAMES)), np.nan)
        answer = int(drawn.integers(20))
        rows[:, NAMES.index("asks")] = drawn.random(20) < 0.5
        rows[:, NAMES.index("turn.words")] = drawn.random(20) * 0.6
        rows[answer, NAMES.index("asks")] = 0
        rows[answer, NAMES.index("turn.words")] = 0.3 + 0.7 * drawn.random()
        ids = tuple(f"{number}-{place}" for place in range(20))
        asked = Asked("u", "?", frozenset({ids[answer]}), "made")
        made.append(Example("made", asked, ids, rows, number % FOLDS))
    return made


def test_it_learns_what_answers_look_like_and_nothing_else() -> None:
    curves = learn(examples(), {}).curves
    assert curves.keys() == {"asks", "turn.words"}
    assert curves["asks"].values[0] > 0 > curves["asks"].values[-1]
    words = curves["turn.words"].values
    assert list(words) == sorted(words)


def test_it_is_tried_on_what_it_did_not_learn_from() -> None:
    made = examples()
    before = np.mean([at_5 for at_5, _ in shares(made, None)])
    after = np.mean([at_5 for at_5, _ in shares(made, crossed(made, {}))])
    assert after > before + 0.2


def test_a_set_without_weight_teaches_nothing() -> None:
    with pytest.raises(ValueError, match="no question"):
        learn(examples(), {"made": 0.0})


def test_the_file_is_read_as_it_was_written() -> None:
    learned = learn(examples(), {})
    text = text_of(learned, "60 questions of made")
    assert parse_curves(text) == learned
    assert all(FEATURES[name].why in text for name in learned.curves)
