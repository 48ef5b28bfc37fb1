"""Unrelated facts never become one note, whatever phrases they share and however near they are, and
a fact that is told again does, whatever is around it. The pairs are made by the benchmark."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.deciding.generated import FACTS, Made, look_alikes, parts, repeats, unrelated
from graphmem.domain.notes import Kind, Note, NoteType, Source, Status, Tier, Validity
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import Writing
from graphmem.language.comparison.conflicts import ConflictAction, Deduplication, judge_conflict
from graphmem.language.comparison.texts import (
    TextVerdict,
    compare,
    differs_in_value,
    merged_text,
)

ONE_NOTE = (TextVerdict.SAME, TextVerdict.EXTENDS, TextVerdict.REPLACES)
SEED = 20
UNRELATED, LOOK_ALIKES = unrelated(300, SEED), look_alikes(300, SEED)
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def merged(pairs: Sequence[Made]) -> list[Made]:
    """The pairs that become one note though their vectors are as near as can be."""
    both = [(pair, told) for pair in pairs for told in _both_ways(pair)]
    return [pair for pair, (old, new) in both if compare(old, new, 1.0).verdict in ONE_NOTE]


def _both_ways(pair: Made) -> list[tuple[str, str]]:
    return [(pair.old, pair.new), (pair.new, pair.old)]


@pytest.mark.parametrize("kind", sorted({pair.kind for pair in UNRELATED}))
def test_facts_that_share_a_set_phrase_alone_stay_two(kind: str) -> None:
    assert merged([pair for pair in UNRELATED if pair.kind == kind]) == []


@pytest.mark.parametrize("kind", sorted({pair.kind for pair in LOOK_ALIKES}))
def test_facts_of_two_names_that_look_alike_stay_two(kind: str) -> None:
    pairs = [pair for pair in LOOK_ALIKES if pair.kind == kind]
    assert merged(pairs) == []
    assert [pair for pair in pairs if not differs_in_value(pair.old, pair.new)] == []


def test_texts_that_share_one_of_their_statements_stay_two() -> None:
    assert merged(parts(100, SEED)) == []


def test_a_fact_told_again_with_other_greetings_is_the_same() -> None:
    pairs = repeats(100, SEED)
    missed = [p for p in pairs for old, new in _both_ways(p) if not merged([Made("", old, new)])]
    assert missed == []


def test_no_sweep_makes_unrelated_facts_one_note() -> None:
    """Though a long signature makes them near copies of each other by their vectors."""
    pairs = [(_note("a", pair.old), _note("b", pair.new)) for pair in (*UNRELATED, *LOOK_ALIKES)]
    endings = [judge_conflict(old, new, 0.95, Deduplication(), Writing()) for old, new in pairs]
    assert {made.action for made in endings if made is not None} <= {ConflictAction.FLAG}


def _note(id: str, content: str) -> Note:
    return Note(
        id=id, user="u", author=None, external_id=None, version=1, content=content, title=None,
        context="", keywords=(), tags=(), kind=Kind.SEMANTIC, type=NoteType.FACT,
        source=Source.TOLD, validity=Validity.ASSERTED, importance=0.5, confidence=0.5,
        load_bearing=False, pinned=False, domain="general", visibility=Visibility.OPEN,
        tier=Tier.WORKING, status=Status.ACTIVE, half_life_hours=168.0, access_count=0,
        accesses=(), created_at=NOW, updated_at=NOW, occurred_at=None, valid_from=None,
        valid_to=None, expires_at=None, episode=None, speaker=None, metadata=None,
    )  # fmt: skip


_WORDS = st.text("abdeiklmnorstuvz", min_size=2, max_size=9)
_PHRASE = st.lists(_WORDS, min_size=1, max_size=8).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([f for f in FACTS if "{" not in f or "{room}" in f]), min_size=2,
             max_size=2, unique=True),
    _PHRASE, _PHRASE, st.booleans(), st.sampled_from((". ", "! ", "\n", "... ")),
)  # fmt: skip
def test_no_phrase_at_all_makes_two_facts_one(
    facts: list[str], before: str, after: str, capital: bool, end: str
) -> None:
    """Phrases that no list knows."""
    if capital:
        before, after = before.capitalize(), after.title()
    told = [f"{before}{end}{fact.replace('|', ' ')} {after}." for fact in facts]
    assert compare(told[0], told[1]).verdict not in ONE_NOTE


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("The hall is free.", "The hall is free. Thanks!", TextVerdict.SAME),
        (
            "Hi all, the hall is free, thanks",
            "The hall is free. Best regards",
            TextVerdict.SAME,
        ),
        ("The hall is free.", "The hall is free. Best regards, Ida", TextVerdict.EXTENDS),
        (
            "The hall is free.\nBest,\nIda",
            "The hall is free.\nBest,\nTom",
            TextVerdict.DIFFERENT,
        ),
        ("Thanks!", "The hall is free. Thanks!", TextVerdict.DIFFERENT),
        ("The hall is free. Thanks, Ida", "Thanks, Ida", TextVerdict.DIFFERENT),
        ("Thanks!", "Thanks", TextVerdict.SAME),
        ("The hall is free. 👍", "The hall is free. 👎", TextVerdict.DIFFERENT),
        ("I live in Berlin. Thanks!", "Hi! I moved to Hamburg.", TextVerdict.REPLACES),
        (
            "The hall is free. Ann has a dog.",
            "Ann has a dog. It rains.",
            TextVerdict.DIFFERENT,
        ),
        ("The cellar has 5 degrees.", "The cellar has -5 degrees.", TextVerdict.DIFFERENT),
        ("Group A won.", "A group won.", TextVerdict.DIFFERENT),
        ("Ms Small is the lead.", "Ms Little is no longer the lead.", TextVerdict.DIFFERENT),
    ],
)
def test_verdicts(old: str, new: str, verdict: TextVerdict) -> None:
    assert compare(old, new).verdict is verdict


def test_a_union_repeats_no_greeting() -> None:
    old, new = "Hi! The hall is free. Thanks!", "Hello. The hall is free. It has a stage. Cheers"
    assert compare(old, new).verdict is TextVerdict.EXTENDS
    assert merged_text(old, new) == new
    assert merged_text(old, new, append=True) == f"{old}\nIt has a stage."
