"""Trust of skills, and which standard procedures hold in a domain."""

import pytest

from graphmem.domain.commons import domain_and_parents, trust


def test_trust_follows_its_formula() -> None:
    assert trust(12, 1, 1) == pytest.approx(13 / 15 * 0.8)
    assert trust(12, 1, 2) == pytest.approx(13 / 15 * 0.9)
    assert trust(12, 1, 3) == pytest.approx(13 / 15)
    assert trust(12, 1, 30) == pytest.approx(13 / 15)
    assert trust(0, 0, 0) == trust(0, 0, 1) == pytest.approx(0.4)


def test_more_users_and_more_successes_are_trusted_more_and_a_failure_lowers_it() -> None:
    assert trust(12, 1, 2) > trust(12, 1, 1) > trust(1, 1, 1)
    for successes in range(20):
        assert trust(successes + 1, 3, 1) > trust(successes, 3, 1) > trust(successes, 4, 1)


def test_the_domains_above_are_whole_path_parts_the_longest_first() -> None:
    assert domain_and_parents("a/bc/d") == ("a/bc/d", "a/bc", "a")
    assert domain_and_parents("a") == ("a",)
