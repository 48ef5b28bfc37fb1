"""The parts of a note's score."""

from dataclasses import dataclass, field

from graphmem.domain.fields import NOT_SHOWN, shown_property


@dataclass(frozen=True, kw_only=True)
class ScorePart:
    """The contribution of one of the values to a score."""

    name: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Why:
    """The values that a score was made of, with the names in the profile's document; `parts` gives
    the contribution of each, and they add up to the score."""

    similarity: float  # cosine, -1..1
    keyword: float | None = None
    graph: float | None = None  # what the graph walk added or took
    activation: float | None = None  # ACT-R's base level
    relevance: float | None = None  # decay score, 0..1
    recency: float | None = None  # 0..1
    domain_boost: float | None = None
    tier_weight: float | None = None
    related_boost: float | None = None
    noise: float | None = None
    # the summands of a document's formula, each under the name of the value that gave it; None: the
    # score is the sum of similarity, keyword and graph
    formula: tuple[tuple[str, float], ...] | None = field(default=None, metadata=NOT_SHOWN)
    # added for being what the question asks for, and what feedback on like questions added or took
    strategy: float | None = field(default=None, metadata=NOT_SHOWN)
    feedback: float | None = field(default=None, metadata=NOT_SHOWN)

    @property
    def score(self) -> float:
        """The sum of the parts."""
        if self.formula is not None:
            return sum([value for _, value in self.summands])
        walked = self.similarity + (self.keyword or 0.0) + (self.graph or 0.0)
        return walked + (self.strategy or 0.0) + (self.feedback or 0.0)

    @property
    def summands(self) -> tuple[tuple[str, float], ...]:
        """The summands of the score, by name."""
        always = self.formula
        if always is None:
            always = (
                ("similarity", self.similarity),
                ("keyword", self.keyword or 0.0),
                ("graph", self.graph or 0.0),
            )
        added = (("strategy", self.strategy), ("feedback", self.feedback))
        return (*always, *[(name, value) for name, value in added if value is not None])

    @shown_property
    def parts(self) -> tuple[ScorePart, ...]:
        """The summands of the score, by name."""
        return tuple(ScorePart(name=name, value=value) for name, value in self.summands)
