"""Why a note scored as it did."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Why:
    """The values that a score was made of, None where the profile has no such value.

    `parts` are the summands of the score under the same names. BALANCED and SIMILARITY give none:
    there similarity, keyword and graph are the summands themselves."""

    similarity: float  # cosine, -1..1
    keyword: float | None = None
    graph: float | None = None  # what the walk gave or took
    activation: float | None = None  # ACT-R's base level
    relevance: float | None = None  # decay score, 0..1
    recency: float | None = None  # 0..1
    domain_boost: float | None = None
    tier_weight: float | None = None
    related_boost: float | None = None
    noise: float | None = None
    parts: tuple[tuple[str, float], ...] = ()

    @property
    def summands(self) -> tuple[tuple[str, float], ...]:
        """What adds up to the score, by name."""
        plain = (
            ("similarity", self.similarity),
            ("keyword", self.keyword or 0.0),
            ("graph", self.graph or 0.0),
        )
        return self.parts or plain

    @property
    def score(self) -> float:
        """The score that the parts add up to."""
        total = 0.0  # added one by one: what `sum` gives for floats differs between Pythons
        for _, value in self.summands:
            total += value
        return total
