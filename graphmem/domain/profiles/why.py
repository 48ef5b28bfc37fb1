"""Why a note scored as it did."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Why:
    """The parts of a score, which they add up to; None where the profile has no such part."""

    similarity: float  # cosine, -1..1
    keyword: float | None = None
    graph: float | None = None  # what the walk gave or took
    strategy: float | None = None  # what it got for being what the question asks for
    feedback: float | None = None  # what feedback on like questions gave or took

    @property
    def score(self) -> float:
        """The score that the parts add up to."""
        walked = self.similarity + (self.keyword or 0.0) + (self.graph or 0.0)
        return walked + (self.strategy or 0.0) + (self.feedback or 0.0)

    @property
    def summands(self) -> tuple[tuple[str, float], ...]:
        """What adds up to the score, by name."""
        always = (
            ("similarity", self.similarity),
            ("keyword", self.keyword or 0.0),
            ("graph", self.graph or 0.0),
        )
        return (*always, *self.given)

    @property
    def given(self) -> tuple[tuple[str, float], ...]:
        """The parts that were added at the end, by name."""
        added = (("strategy", self.strategy), ("feedback", self.feedback))
        return tuple((name, value) for name, value in added if value is not None)


@dataclass(frozen=True, kw_only=True)
class ByFormula(Why):
    """The values that a document's formula worked with, under the document's names, and `parts`:
    the summands of the score, each under the name of the value that gave it."""

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
        """The score that the parts add up to."""
        return sum([value for _, value in self.summands])

    @property
    def summands(self) -> tuple[tuple[str, float], ...]:
        """What adds up to the score, by name."""
        return (*self.parts, *self.given)
