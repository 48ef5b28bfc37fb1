"""The numbers of consolidation, which turns a day's episodes into knowledge (MUMA 7.2)."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from graphmem.domain.durations import read_duration

SMALLEST: Final = 3  # fewest notes for a summary (MUMA-71)
LARGEST: Final = 25  # more become several summaries, so that one transaction stays short
IMPORTANCE: Final = 0.8  # lowest importance of a summary (DIFF-30)
LONGER: Final = 4.0  # times the half-life of other new notes
SHORTER: Final = 0.5  # times the half-life of a summarised episode
COLLECTED: Final = timedelta(hours=24)  # before a run, unless the last one is longer ago
MOST_ACTIVE: Final = 10  # core memory lines from consolidation, per audience


@dataclass(frozen=True, kw_only=True)
class Consolidation:
    """The rules for which episodes belong together.

    Raises ValueError for numbers that make no sense."""

    similarity: float = 0.5
    """two episodes of a day belong together when their cosine, reduced by the time between them,
    is at least this;"""
    time_scale: str = "72h"
    """after this time the cosine counts a third (1/e)"""

    def __post_init__(self) -> None:
        if not 0 < self.similarity <= 1:
            raise ValueError("similarity must be above 0 and at most 1")
        if not self.scale:
            raise ValueError("time_scale must be longer than nothing")

    @property
    def scale(self) -> timedelta:
        """`time_scale` as a timedelta."""
        return read_duration(self.time_scale)


@dataclass(frozen=True, kw_only=True)
class EpisodeToSummarise:
    """An episode of one audience that may become part of a summary."""

    id: str
    hours: float  # when it happened, in hours since a fixed moment
    vector: tuple[float, ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class LlmSummary:
    """An LLM's summary of notes that belong together, and what the calls used."""

    text: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float


@dataclass(frozen=True, kw_only=True)
class NearbyKnowledge:
    """A note of knowledge near a summary, with what a link between them can be based on."""

    id: str
    similarity: float
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
