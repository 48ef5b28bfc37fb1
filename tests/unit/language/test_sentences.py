"""Sentences of a text, set phrases around them, and the names and numbers in them."""

import pytest

from graphmem.language.comparison.identifiers import identifiers_of
from graphmem.language.comparison.set_phrases import (
    is_set_phrase,
    names_in_phrase,
    split_set_phrases,
)
from graphmem.language.sentences import sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is open. It is free.", ["It is open.", "It is free."]),
        ("Mrs. Bellini met Dr. Odell. They left.", ["Mrs. Bellini met Dr. Odell.", "They left."]),
        ("J. Moreau of Delta N.V. came.", ["J. Moreau of Delta N.V. came."]),
        ("He is in St. Ives. So am I. The hall is free.",
         ["He is in St. Ives.", "So am I.", "The hall is free."]),
        ("Bring No. 5 there. No. It is free.", ["Bring No. 5 there.", "No.", "It is free."]),
        ("At 9 a.m. in the hall. At 9 p.m. The bar.",
         ["At 9 a.m. in the hall.", "At 9 p.m.", "The bar."]),
        ("One\ntwo\n\nthree", ["One", "two", "three"]),
        ("Dr.\nOdell", ["Dr.\nOdell"]),
        ("Wait... what? Yes!", ["Wait... what?", "Yes!"]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences(text: str, found: list[str]) -> None:
    assert sentences(text) == found


def test_the_rest_of_a_long_text_is_one_sentence() -> None:
    found = sentences("It is. " * 100, at_most=40)
    assert found == ["It is."] * 39 + [" ".join(["It is."] * 61)]


@pytest.mark.parametrize(
    "phrase",
    ["Hi!", "Hello Ida,", "Best regards,", "Kind regards, Ida Moreau", "Thanks and bye", "Dear all",
     "Let me know if you have any questions.", "FYI", "Ida Moreau", "...", "Hope you’re well!"],  # noqa: RUF001
)  # fmt: skip
def test_set_phrases(phrase: str) -> None:
    assert is_set_phrase(phrase)


@pytest.mark.parametrize(
    "statement",
    ["It is open.", "Thanks to Ida it is open.", "Follow up next week.", "👍", "Call 4711", "東京",
     "Thank you note for Ida", "Hello world is a program", "All is lost"],
)  # fmt: skip
def test_statements(statement: str) -> None:
    assert not is_set_phrase(statement)


def test_names_in_set_phrases() -> None:
    assert names_in_phrase("Best Regards, Ida Kessler") == {"ida", "kessler"}
    assert names_in_phrase("Hope this helps!") == frozenset()
    assert names_in_phrase("Cheers, Hope") == {"hope"}


def test_set_phrases_stand_by_themselves() -> None:
    assert split_set_phrases("Hi Ida, it is open, as I said - thanks!") == [
        "Hi Ida", "it is open, as I said", "thanks!",
    ]  # fmt: skip
    assert split_set_phrases("Thanks, Ida") == ["Thanks, Ida"]
    assert split_set_phrases("The hall, Ida, is free") == ["The hall, Ida, is free"]


@pytest.mark.parametrize(
    ("sentence", "marks"),
    [
        ("Mrs. Small met A. So at 14a Elm Street.",
         {"mrs", "small", "A", "so", "14a", "elm", "street"}),
        ("The relay costs 1,240 pounds on 3rd May.", {"1240", "3"}),
        ("It is -5 in five rooms.", {"-5", "5"}),
        ("Small rented it on 2026-09-03.", {"small", "2026", "3"}),
        ("Buy the milk for Orla's cat.", {"orla"}),
        ("I think that I can.", set()),
    ],
)  # fmt: skip
def test_marks(sentence: str, marks: set[str]) -> None:
    assert identifiers_of(sentence)[0] == marks
