"""How often one may ask."""

import pytest

from graphmem.errors import RateLimited
from graphmem.operations import rates
from graphmem.operations.rates import Rates


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_operations_come_back_in_the_course_of_a_minute():
    clock = Clock()
    buckets, ada = Rates(3, clock), "ada"
    for _ in range(3):
        buckets.take(ada)
    with pytest.raises(RateLimited) as refused:
        buckets.take(ada)
    assert refused.value.details == {"retryAfter": 20}
    clock.now = 20
    buckets.take(ada)
    clock.now = 39.5
    with pytest.raises(RateLimited) as refused:
        buckets.take(ada)
    assert refused.value.details == {"retryAfter": 1}
    clock.now = 1000
    for _ in range(3):
        buckets.take(ada)
    with pytest.raises(RateLimited):
        buckets.take(ada)


def test_each_has_its_own():
    buckets = Rates(1, Clock())
    for who in ("ada", "bo", "", "k1"):
        buckets.take(who)
        with pytest.raises(RateLimited):
            buckets.take(who)


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rates, "MOST", 3)
    clock = Clock()
    buckets = Rates(2, clock)
    for i in range(10):
        clock.now += 31
        buckets.take(f"u{i}")
        assert len(buckets._left) <= 3
    for i in range(10):
        buckets.take(f"v{i}")
        assert len(buckets._left) <= 3


def test_many_others_take_nothing_of_a_count_that_is_in_use(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rates, "MOST", 3)
    buckets, ada = Rates(2, Clock()), "ada"
    for other in ("a", "b"):
        buckets.take(other)
        buckets.take(ada)
    for other in ("c", "d", "e", "f"):
        buckets.take(other)
        with pytest.raises(RateLimited):
            buckets.take(ada)
