"""Comparing texts: what says the same, what differs, and that nothing is ever too odd to read."""

import itertools
import random

import pytest

from graphmem.language.comparison import sentence_rules
from graphmem.language.comparison.statements import read_statements
from graphmem.language.comparison.texts import (
    TextVerdict,
    compare,
    differs_in_value,
    merged_text,
)

FIVE_WAYS = (
    "Ann prefers tea over coffee.",
    "Ann prefers tea to coffee.",
    "Ann likes tea more than coffee.",
    "Ann would rather have tea than coffee.",
    "Ann loves tea better than coffee",
)
NEAR = (
    "The budget of Halden is 40,000 euros.",
    "The budget of Halden is 41,000 euros.",
    "The budget of Halden is not 40,000 euros.",
    "The budget of Kestrel is 40,000 euros.",
    "The budget of Halden was 40,000 euros.",
    "The budget of Halden is 40,000 dollars.",
    "The budget of Halden may be 40,000 euros.",
    "The budget of Halden is due on March 3.",
    "The budget of Halden is due on March 4.",
    "Is the budget of Halden 40,000 euros?",
    "If it rains, the budget of Halden is 40,000 euros.",
)
MERGED = (TextVerdict.SAME, TextVerdict.EXTENDS)


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(FIVE_WAYS, 2)))
def test_the_same_fact_in_other_words_is_the_same(one: str, other: str) -> None:
    assert compare(one, other).verdict is TextVerdict.SAME


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(NEAR, 2)))
def test_near_but_different_is_never_merged(one: str, other: str) -> None:
    assert compare(one, other).verdict not in MERGED


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("I live in Berlin.", "I moved to Hamburg.", TextVerdict.REPLACES),
        ("I live in Berlin.", "I live in Hamburg.", TextVerdict.REPLACES),
        ("I live in Berlin.", "I'm living in Berlin.", TextVerdict.SAME),
        ("Ticket 88 is open.", "Ticket 88 is closed.", TextVerdict.REPLACES),
        ("Ticket 88 is open.", "Ticket 89 is closed.", TextVerdict.DIFFERENT),
        ("The kiln is blue.", "The kiln is not blue.", TextVerdict.CONTRADICTS),
        ("The kiln is blue.", "The kiln is no longer blue.", TextVerdict.REPLACES),
        ("The deadline is March 15.", "The deadline is March 30.", TextVerdict.CONTRADICTS),
        (
            "The deadline is March 15.",
            "The deadline was moved to March 30.",
            TextVerdict.REPLACES,
        ),
        ("Halden uses Neo4j.", "Halden uses Neo4j with two replicas.", TextVerdict.EXTENDS),
        ("Halden uses Neo4j with two replicas.", "Halden uses Neo4j.", TextVerdict.SAME),
        ("Guests may smoke.", "Guests may smoke on the terrace.", TextVerdict.DIFFERENT),
        ("Bo eats no meat.", "Bo eats no meat on Fridays.", TextVerdict.DIFFERENT),
        ("Tim called Noor.", "Noor called Tim.", TextVerdict.DIFFERENT),
        ("Tim called Noor.", "Noor was called by Tim.", TextVerdict.SAME),
        ("The box of Ann is on the lap of Bo.", "The box of Bo is on the lap of Ann.", None),
        (
            "All replicas are in sync.",
            "Not all replicas are in sync.",
            TextVerdict.CONTRADICTS,
        ),
        ("It works 👍", "It works 👎", TextVerdict.DIFFERENT),
        ("Ich esse Fleisch", "Ich esse Fleisch nicht", TextVerdict.DIFFERENT),
        ("Call `open()` first.", "Call `close()` first.", TextVerdict.DIFFERENT),
    ],
)
def test_verdicts(old: str, new: str, verdict: TextVerdict | None) -> None:
    found = compare(old, new)
    assert found.verdict is (verdict or TextVerdict.DIFFERENT), found
    assert found.reason


def test_texts_about_something_else_are_not_read() -> None:
    assert (
        compare("Ann likes tea.", "Ann likes tea!", similarity=0.1).verdict is TextVerdict.DIFFERENT
    )


def test_several_sentences() -> None:
    old = "The kiln is in the east hall. Henk installed it."
    new = "Henk installed it. The kiln is in the east hall. It has two relays."
    assert compare(old, new).verdict is TextVerdict.EXTENDS
    assert compare(new, old).verdict is TextVerdict.SAME
    assert compare(old, "The kiln is in the west hall.").verdict not in MERGED
    changed = "The kiln is no longer in the east hall."
    assert compare(old, changed).verdict is TextVerdict.UNCLEAR  # the rest still holds
    assert compare("The kiln is in the east hall.", changed).verdict is TextVerdict.REPLACES


def test_a_union_says_what_both_say() -> None:
    assert merged_text("Ann has a dog.", "Ann has a dog called Rex.") == "Ann has a dog called Rex."
    one, other = "Ann has a dog. Bo has a cat.", "Ann has a dog. She lives in Leeds."
    assert merged_text(one, other) == f"{one} She lives in Leeds."
    grown = merged_text("Ann has a dog.", "Ann has a dog called Rex.", append=True)
    assert grown == "Ann has a dog.\nAnn has a dog called Rex."


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("The relay costs 4 pounds.", "The relay costs 5 pounds.", True),
        ("We ask Ann about it.", "We ask Bo about it.", True),
        ("It is on.", "It is not on.", True),
        ("The tests run fast here.", "The tests are quick here.", False),
    ],
)
def test_differing_values_are_seen(one: str, other: str, differs: bool) -> None:
    assert differs_in_value(one, other) is differs


def test_any_text_can_be_compared() -> None:
    draw = random.Random(3)
    parts = (
        "the is 's of by not to from Ann in March 15 31 every no longer nolonger would rather than "
        ", because and ( ) ` 9:30 ? moved was . \n 2026-01-01 May 2 1,000 don't I'm 東京 é 👍 -- "
        ">= always never without , prefers over been of of"
    ).split(" ")
    for _ in range(3000):
        one, other = (" ".join(draw.choices(parts, k=draw.randint(0, 14))) for _ in range(2))
        assert compare(one, other).reason
        assert compare(one, one).verdict is TextVerdict.SAME
        merged_text(one, other)
        differs_in_value(one, other)


@pytest.mark.parametrize("text", ["a" * 50_000, "a b " * 12_500, "x'" * 9_000, "1," * 9_000])
def test_long_texts_take_no_time(text: str) -> None:
    assert compare(text, text + "c").verdict not in MERGED


def test_sentences_without_a_word_in_common_are_told_apart_before_any_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = (*FIVE_WAYS, *NEAR, "I live in Berlin.", "Is it?", "Is Bo here?", "Not today.", "Stop")
    read = [one for text in texts for one in read_statements(text)]
    pairs = list(itertools.product(read, repeat=2))
    found = [sentence_rules.compare_sentences(one, other) for one, other in pairs]
    apart = sum(sentence_rules._nothing_shared(one, other) for one, other in pairs)
    assert apart > len(pairs) / 3
    monkeypatch.setattr(sentence_rules, "_nothing_shared", lambda one, other: False)
    assert found == [sentence_rules.compare_sentences(one, other) for one, other in pairs]
