"""Reads questions: which strategy of recall they ask for, about which time and about what."""

from graphmem.language.questions.dialogues import turns_of, words_of_turn
from graphmem.language.questions.time_spans import TimeSpan
from graphmem.language.questions.understanding import (
    QuestionIntent,
    Strategy,
    asks_when,
    core_blocks_asked,
    understand,
    without_courtesy,
)

__all__ = (
    "QuestionIntent",
    "Strategy",
    "TimeSpan",
    "asks_when",
    "core_blocks_asked",
    "turns_of",
    "understand",
    "without_courtesy",
    "words_of_turn",
)
