"""Questions that are a dialogue."""

import pytest

from graphmem.language.questions.dialogues import turns_of, words_of_turn

TALK = 'Ada: "The press is loud."\nAssistant: "Since when?"\nAda: "Since the new belt."'


def test_a_dialogue_is_read_turn_by_turn() -> None:
    assert turns_of(TALK) == [
        'Ada: "The press is loud."',
        'Assistant: "Since when?"',
        'Ada: "Since the new belt."',
    ]
    assert words_of_turn(turns_of(TALK)[-1]) == "Since the new belt."
    more = "Ada Kessler: first line\nand its second line\nDr. O'Neil: yes"
    assert turns_of(more) == ["Ada Kessler: first line\nand its second line", "Dr. O'Neil: yes"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What does Ada like?",
        "Ada: one turn alone",
        "What was said here?\nAda: tea\nBen: coffee",
        "12:30: lunch\n13:30: walk",
        "See https://example.org\nand http://example.com",
    ],
)
def test_anything_else_is_no_dialogue(text: str) -> None:
    assert turns_of(text) == []
