"""Which notes go into a context package."""

from math import exp

import pytest

from graphmem.domain.scopes import Scope, suggest_scope
from graphmem.services.recall.selection import PackageItem, likeness, make_excerpt, pick, relevances


def item(relevance: float, terms: str, episode: str | None = None) -> PackageItem:
    return PackageItem(relevance=relevance, terms=frozenset(terms.split()), episode=episode)


def test_likeness_is_the_cosine_of_terms_and_some_for_the_same_episode() -> None:
    assert likeness(item(1, "a b c d"), item(1, "a b")) == pytest.approx(2 / 8**0.5)
    assert likeness(item(1, "a"), item(1, "b")) == 0
    assert 0 < likeness(item(1, "a", "one"), item(1, "b", "one")) < 0.5
    assert likeness(item(1, ""), item(1, "")) == 0


def test_what_is_said_already_waits() -> None:
    items = [item(1.0, "a b c"), item(0.99, "a b c"), item(0.7, "a x y"), item(0.0, "a b c")]
    assert pick(items, lambda _: True) == [0, 2, 1, 3]
    # What was not taken is like nothing that was taken.
    assert pick(items, lambda i: i != 0) == [1, 2, 3]
    assert pick([item(1, "a"), item(1, "b")], lambda _: True) == [0, 1]
    assert pick([], lambda _: True) == []


def test_scores_of_any_sign_are_shares_of_their_span() -> None:
    assert relevances([2.0, 1.8, 1.0]) == pytest.approx([1.0, exp(-0.8), exp(-4.0)])
    assert relevances([3.0, -1.0]) == pytest.approx([1.0, exp(-8.0)])
    assert relevances([0.0, 0.0]) == relevances([-2.0, -2.0]) == [1.0, 1.0]
    assert relevances([]) == []


def test_an_excerpt_is_whole_sentences_from_the_best_one() -> None:
    text = "It rains. The kiln broke. Bo came. We wait."

    def shown(room: int, word: str) -> str | None:
        return make_excerpt(text, lambda s: s.count(word), lambda shown: len(shown) <= room)

    assert shown(100, "kiln") == "[…] The kiln broke. Bo came. We wait."
    assert shown(32, "kiln") == "[…] The kiln broke. Bo came. […]"
    assert shown(100, "snow") == text
    assert shown(25, "kiln") == "[…] The kiln broke. […]"
    assert shown(20, "kiln") is None


@pytest.mark.parametrize(
    ("asked", "fits", "then"),
    [
        (Scope.LOCAL, True, Scope.LOCAL),
        (Scope.LOCAL, False, Scope.USER),
        (Scope.USER, True, Scope.USER),
        (Scope.USER, False, Scope.TEAM),
        (Scope.TEAM, True, Scope.USER),
        (Scope.TEAM, False, Scope.TEAM),
    ],
)
def test_the_next_level_is_for_what_the_one_before_has_not(
    asked: Scope, fits: bool, then: Scope
) -> None:
    assert suggest_scope(asked, 0.3 if fits else 0.29) is then
