"""Passages: the parts of a text that is longer than what an embedding model reads of it."""

from dataclasses import dataclass
from math import log
from typing import Final

WHOLE: Final = 254  # tokens of a text that one vector stands for: what the default model reads
LONGEST: Final = 64  # tokens of a passage
MOST: Final = 192  # passages of a note; what lies beyond them is found by its words alone
EACH_DOUBLING: Final = 0.005  # of the likeness, which the best of twice as many passages has more


@dataclass(frozen=True)
class Passage:
    """A part of a note's content, with its place there in characters."""

    text: str
    start: int
    end: int


def likeness(own: float, best: float, passages: int) -> float:
    """The cosine that a note counts with: its own or that of its best passage, whichever is more.

    The best of many passages is near to a question by chance alone, which would put long notes
    before short ones that say the same, so it loses a little for each doubling of their number."""
    return max(own, best - EACH_DOUBLING * log(max(passages, 1), 2))
