"""Passages: the parts of a text that is too long for an embedding model to read whole."""

from dataclasses import dataclass, field
from math import log
from typing import Final

from graphmem.domain.fields import shown_as

WHOLE: Final = 254  # tokens of a text represented by one vector: the default model's limit
LONGEST: Final = 64  # tokens of a passage
MOST: Final = 192  # passages of a note; text beyond them is found by its words only
EACH_DOUBLING: Final = 0.005  # deducted from the likeness when the passages double


@dataclass(frozen=True)
class Passage:
    """A part of a note's content, with the positions there of its first character and of the one
    after its last."""

    text: str
    start: int = field(metadata=shown_as("from"))
    end: int = field(metadata=shown_as("to"))


def likeness(own: float, best: float, passages: int) -> float:
    """Return the cosine of a note: its own or that of its best passage, if higher.

    The best of many passages is near to a question by chance alone, which would put long notes
    before short ones that say the same, so it loses a little for each doubling of their number."""
    return max(own, best - EACH_DOUBLING * log(max(passages, 1), 2))
