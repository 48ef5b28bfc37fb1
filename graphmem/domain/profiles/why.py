"""The parts of a note's score."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Why:
    """The parts that add up to a score; None if the profile has no such part."""

    similarity: float  # cosine, -1..1
    keyword: float | None = None
    graph: float | None = None  # what the graph walk added or took
    strategy: float | None = None  # added for being what the question asks for
    feedback: float | None = None  # what feedback on like questions added or took

    @property
    def score(self) -> float:
        """The sum of the parts."""
        walked = self.similarity + (self.keyword or 0.0) + (self.graph or 0.0)
        return walked + (self.strategy or 0.0) + (self.feedback or 0.0)

    @property
    def summands(self) -> tuple[tuple[str, float], ...]:
        """The summands of the score, by name."""
        always = (
            ("similarity", self.similarity),
            ("keyword", self.keyword or 0.0),
            ("graph", self.graph or 0.0),
        )
        return (*always, *self.given)

    @property
    def given(self) -> tuple[tuple[str, float], ...]:
        """The parts that were added last, by name."""
        added = (("strategy", self.strategy), ("feedback", self.feedback))
        return tuple((name, value) for name, value in added if value is not None)


@dataclass(frozen=True, kw_only=True)
class ByFormula(Why):
    """The values that a document's formula worked with, under the document's names.

    `parts` are the summands of the score, each under the name of the value that gave it."""

    activation: float | None = None  # ACT-R's base level
    relevance: float | None = None  # decay score, 0..1
    recency: float | None = None  # 0..1
    domain_boost: float | None = None
    tier_weight: float | None = None
    related_boost: float | None = None
    noise: float | None = None
    parts: tuple[tuple[str, float], ...]

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum([value for _, value in self.summands])

    @property
    def summands(self) -> tuple[tuple[str, float], ...]:
        """The summands of the score, by name."""
        return (*self.parts, *self.given)
