"""Cutting long texts into passages."""

import pytest

from graphmem.domain.passages import LONGEST, MOST, likeness
from graphmem.language.passages import passages


def words(text: str) -> int:
    """A word is a token."""
    return len(text.split())


def test_a_passage_is_whole_sentences_with_their_place_in_the_text() -> None:
    text = "\n".join(f"Ada: Crate {i} is full. It weighs {i} kilos.\n" for i in range(100))
    found = passages(text, words)
    assert 10 < len(found) < 25
    assert [each.text for each in found] == [text[each.start : each.end] for each in found]
    assert all(words(each.text) <= LONGEST for each in found)
    assert all(each.text.endswith(("full.", "kilos.")) for each in found)
    assert "".join("".join(each.text.split()) for each in found) == "".join(text.split())
    assert min(words(each.text) for each in found) > LONGEST / 4  # none has next to nothing


def test_a_sentence_without_an_end_is_cut_between_words() -> None:
    found = passages("word " * 1000, words)
    assert 16 <= len(found) <= 25
    assert all(set(each.text.split()) == {"word"} for each in found)


@pytest.mark.parametrize("text", ["字" * 3000, "x" * 3000, " " * 3000])
def test_a_text_without_spaces_or_words_is_cut_too(text: str) -> None:
    found = passages(text, len)
    assert "".join(each.text for each in found) == text.strip()
    assert all(len(each.text) <= LONGEST for each in found)


def test_a_note_has_no_more_passages_than_the_most() -> None:
    assert len(passages("Crate one is full. " * 10_000, words)) == MOST


def test_the_best_of_many_passages_counts_a_little_less() -> None:
    assert likeness(0.6, 0.5, 10) == 0.6
    assert 0.6 < likeness(0.2, 0.7, 32) < likeness(0.2, 0.7, 2) < 0.7
