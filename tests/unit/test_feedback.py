"""What feedback on a recall changes, as arithmetic."""

import itertools

import pytest

from graphmem.domain.feedback import FeedbackChange, changes_of

STATES = (None, True, False)


@pytest.mark.feature("MUMA-116", "MUMA-11")
@pytest.mark.parametrize(("old", "middle", "new"), list(itertools.product(STATES, repeat=3)))
def test_a_finding_that_replaces_another_leaves_what_it_alone_would_leave(
    old: bool | None, middle: bool | None, new: bool | None
) -> None:
    first, second = (
        FeedbackChange(note="a", old=o, new=n) for o, n in ((old, middle), (middle, new))
    )
    direct = FeedbackChange(note="a", old=old, new=new)
    assert first.accesses + second.accesses == direct.accesses
    assert first.factor * second.factor == pytest.approx(direct.factor, abs=1e-12)


def test_only_what_helped_is_an_access_and_only_what_did_not_loses_the_recall() -> None:
    made = {new: FeedbackChange(note="a", old=None, new=new) for new in STATES}
    assert [made[new].accesses for new in STATES] == [0, 1, 0]
    assert [made[new].factor for new in STATES] == pytest.approx([1.0, 1.0, 1 / 1.2])


def test_the_last_word_on_a_note_counts_and_others_keep_theirs() -> None:
    found = {"a": None, "b": True, "c": False}
    assert changes_of(found, ["a", "b", "a"], helpful=True) == [
        FeedbackChange(note="a", old=None, new=True)
    ]
    assert changes_of(found, ["b", "c"], helpful=False) == [
        FeedbackChange(note="b", old=True, new=False)
    ]
    assert changes_of(found, [], helpful=False) == [
        FeedbackChange(note="a", old=None, new=False),
        FeedbackChange(note="b", old=True, new=False),
    ]
    assert changes_of(found, [], helpful=True) == [FeedbackChange(note="c", old=False, new=None)]
