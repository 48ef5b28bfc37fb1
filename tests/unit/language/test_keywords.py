"""Sentences, keywords, tags and the one sentence of a curated note."""

import pytest

from graphmem.language.keywords import context, keywords, tags
from graphmem.language.sentences import sentences


def test_keywords_go_by_how_often_whether_a_name_and_how_early() -> None:
    text = "The relay failed. Engineers replaced the relay in the Halden kiln; the relay works."
    words = keywords(text)
    assert words[0] == "relay"
    assert words.index("halden") < words.index("works")
    assert len(words) == 7
    assert not {"the", "in"} & set(words)


def test_keywords_are_lower_case_and_distinct() -> None:
    assert keywords("Kiln kiln KILN") == ("kiln",)
    assert keywords("it is the") == ()
    assert keywords("alpha beta gamma delta", most=2) == ("alpha", "beta")


@pytest.mark.feature("MUMA-18")
def test_a_text_of_function_words_has_keywords_too() -> None:
    assert len(keywords("it is what it is and that is that")) == 3


@pytest.mark.feature("MUMA-18")
def test_tags_are_three_to_five_topics_before_names_before_keywords() -> None:
    words = ("relay", "kiln", "engineers", "halden")
    assert tags(["coding"], ["Halden"], words) == ("coding", "halden", "relay")
    assert tags([], [], words) == ("relay", "kiln", "engineers")
    many = tags(["a1", "b1", "c1", "d1"], ["E", "F", "G"], words)
    assert many == ("a1", "b1", "c1", "e", "f")


def test_the_context_is_the_first_sentence() -> None:
    assert context("The kiln broke. We wait.") == "The kiln broke."
    assert context("  No stop here\nSecond line") == "No stop here"
    assert context("Version 3.11 is out! Good.") == "Version 3.11 is out!"
    long = context("word " * 100)
    assert len(long) <= 240
    assert long.endswith("word…")


def test_a_greeting_is_no_context() -> None:
    assert context("Hi Paul! The kiln broke. We wait.") == "The kiln broke."
    assert context("Thanks!") == "Thanks!"


def test_abbreviations_initials_and_numbers_end_no_sentence() -> None:
    text = "Dr. Smith met J. R. R. Tolkien at Acme Inc. in 3.5 hours. They left at 5 p.m. Good!"
    assert sentences(text) == [
        "Dr. Smith met J. R. R. Tolkien at Acme Inc. in 3.5 hours.",
        "They left at 5 p.m.",
        "Good!",
    ]
    assert sentences("one\n\n two … ") == ["one", "two …"]
    assert sentences("北京很冷。我走了。") == ["北京很冷。", "我走了。"]
    assert sentences(" \n ") == []
