"""The profiles by name, and the numbers of their formulas; defaults are those of the documents."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from math import isfinite

from graphmem.domain.actors import AgentRole
from graphmem.domain.decay import Decay
from graphmem.domain.durations import read_duration, read_often
from graphmem.domain.jobs import cron_every
from graphmem.domain.notes import Tier
from graphmem.domain.profiles.model import ModelProfile

LEAST_INTERVAL = timedelta(minutes=5)


class Profile(StrEnum):
    """A named ranking formula."""

    BALANCED = "BALANCED"
    SIMILARITY = "SIMILARITY"
    ACTIVATION = "ACTIVATION"
    ACT_R = "ACT_R"
    RELEVANCE = "RELEVANCE"
    RECENCY = "RECENCY"
    TIERED = "TIERED"


def _check(what: str, value: float, low: float, high: float) -> None:
    if not (isfinite(value) and low <= value <= high):
        raise ValueError(f"{what} must be from {low:g} to {high:g}")


@dataclass(frozen=True, kw_only=True)
class ActR:
    """ACT-R parameters (MUMA 4.3).

    Raises ValueError for numbers out of range, as do the others here."""

    d: float = 0.5
    """the decay of ACT-R"""
    w: float = 11.0
    """`ACT_R`: weight of the similarity"""
    sigma: float = 1.2
    """`ACT_R`: standard deviation of the noise"""
    threshold: Mapping[AgentRole, float] = field(
        default_factory=lambda: dict.fromkeys(AgentRole, 0.0)
    )
    """`ACT_R`: what a hit's score must exceed, by the asking agent's role; the user counts as an
    assistant"""

    def __post_init__(self) -> None:
        _check("d", self.d, 0.01, 0.99)
        _check("w", self.w, 0, 1e6)
        _check("sigma", self.sigma, 0, 1e6)
        for role, value in self.threshold.items():
            _check(f"threshold of {role}", value, -1e6, 1e6)


@dataclass(frozen=True, kw_only=True)
class QueryExpansion:
    """Query expansion (L3, component 1)."""

    enabled: bool = True
    """`RECENCY`: search for keywords besides the question"""
    retrieval_k_per_variant: int = 8
    """candidates of each variant of the question"""
    use_domain_scoping: bool = True
    """search for keywords in their domain"""
    use_keyword_extraction: bool = True
    """search for keywords alone"""
    max_keywords: int = 12
    """keywords of a question"""

    def __post_init__(self) -> None:
        _check("retrieval_k_per_variant", self.retrieval_k_per_variant, 1, 100)
        _check("max_keywords", self.max_keywords, 1, 100)


@dataclass(frozen=True, kw_only=True)
class TemporalDecay:
    """Temporal decay (L3, component 2).

    The exemptions are the document's words for kinds of notes."""

    enabled: bool = True
    """`RECENCY`: weigh how recent a note is"""
    decay_weight: float = 0.15
    """its weight relative to the similarity"""
    half_life_hours: float = 168.0
    """hours without access after which it halves"""
    exempt_utilities: tuple[str, ...] = ("load_bearing",)
    """always recent: load-bearing notes"""
    exempt_sources: tuple[str, ...] = ("user_asserted",)
    """always recent: one or both of `user_asserted` and `agent_inferred`"""
    exempt_validities: tuple[str, ...] = ("confirmed",)
    """always recent: one or both of `confirmed` and `deprecated`"""
    min_recency_score: float = 0.1
    """the lowest recency at any age"""

    def __post_init__(self) -> None:
        _check("decay_weight", self.decay_weight, 0, 1)
        _check("half_life_hours", self.half_life_hours, 0.001, 1e6)
        _check("min_recency_score", self.min_recency_score, 0, 1)


@dataclass(frozen=True, kw_only=True)
class RelatedMemories:
    """Related notes (L3, component 5)."""

    enabled: bool = True
    """`maintain_memory` links related notes, and `RECENCY` boosts notes with a `related` link to
    one of the best"""
    tag_overlap_threshold: int = 3
    """the fewest tags that related notes share"""
    max_related_per_memory: int = 10
    """the most related links of a note"""
    related_boost: float = 0.08
    """the size of that boost"""
    rebuild_interval_cycles: int = 25
    """tracked recalls of a user between two runs of `maintain_memory`"""

    def __post_init__(self) -> None:
        _check("tag_overlap_threshold", self.tag_overlap_threshold, 1, 50)
        _check("max_related_per_memory", self.max_related_per_memory, 1, 100)
        _check("rebuild_interval_cycles", self.rebuild_interval_cycles, 1, 1_000_000)
        _check("related_boost", self.related_boost, 0, 1e6)


@dataclass(frozen=True, kw_only=True)
class CoRetrieval:
    """Notes that are recalled together (L3, component 4)."""

    max_entries: int = 500
    """newest recalls of a user that `clusterCandidates` considers"""
    cluster_threshold: int = 5
    """pairs of notes that were recalled together more often than this are candidates"""

    def __post_init__(self) -> None:
        _check("max_entries", self.max_entries, 1, 10_000)
        _check("cluster_threshold", self.cluster_threshold, 1, 10_000)


_TIERS = ("t0", "t1", "t2", "t3", "t4")


@dataclass(frozen=True, kw_only=True)
class Tiered:
    """The weights and moves of Tiered Memory; T1 is the context window and has none."""

    enabled: bool = False
    """run `move_tiers` on schedule"""
    interval: str = "5m"
    """how often: at least every 5 minutes, in minutes that divide an hour or hours that divide a
    day"""
    t0_files: tuple[str, ...] = ("MEMORY.md", "SOUL.md", "USER.md")
    """files at the top of an imported folder that are T0, with `t0_permanent`"""
    t0_permanent: bool = True
    """notes of T0 are `FOUNDATIONAL` from their next import on: no job moves, changes or
    archives them, and core memory shows them; otherwise they are notes like any other"""
    search_weights: Mapping[str, float] = field(
        default_factory=lambda: {"t0": 1.2, "t2": 1.5, "t3": 1.0, "t4": 0.5}
    )
    """`TIERED`: weight of each tier, 1 where none is set"""
    t2_compression_threshold: str = "48h"
    """`DAILY` notes of this age become `SHORT_TERM`; the parts of episodes worth keeping go into
    a note about their topic,"""
    t3_token_budget: int = 500
    """which has at most this many tokens;"""
    t2_retention_after_compression: str = "7d"
    """the compressed notes are archived after this time"""
    t3_archival_threshold: str = "14d"
    """`SHORT_TERM` notes of this age without a recall for as long become `LONG_TERM`,"""
    t3_max_recalls_before_archival: int = 1
    """if they had at most this many recalls in that time"""
    t4_promotion_threshold: str = "3 recalls in 7d"
    """`LONG_TERM` notes that are recalled this often become `SHORT_TERM` again,"""
    t4_promotion_cooldown: str = "72h"
    """and stay so for at least this time"""
    t4_deletion_enabled: bool = False
    """destroy `LONG_TERM` notes for good"""
    t4_deletion_threshold: str = "90d"
    """that had no recall for this time"""

    def __post_init__(self) -> None:
        ages = (self.compression, self.retention, self.archival, self.deletion)
        if not all((*ages, self.cooldown, self.promotion[1], self.cron)):
            raise ValueError("a threshold must be longer than nothing")
        _check("t3_token_budget", self.t3_token_budget, 50, 8_000)
        _check("t3_max_recalls_before_archival", self.t3_max_recalls_before_archival, 0, 1_000)
        for name, weight in self.search_weights.items():
            if name not in _TIERS:
                raise ValueError(f"search_weights knows {', '.join(_TIERS)}")
            _check(f"search_weights of {name}", weight, 0, 1e6)

    @property
    def cron(self) -> str:
        """`interval` as the five fields of cron. Raises ValueError."""
        length = read_duration(self.interval)
        if length < LEAST_INTERVAL:
            raise ValueError("interval must be at least 5m")
        return cron_every(length)

    @property
    def compression(self) -> timedelta:
        """`t2_compression_threshold`."""
        return read_duration(self.t2_compression_threshold)

    @property
    def retention(self) -> timedelta:
        """`t2_retention_after_compression`."""
        return read_duration(self.t2_retention_after_compression)

    @property
    def archival(self) -> timedelta:
        """`t3_archival_threshold` as a time."""
        return read_duration(self.t3_archival_threshold)

    @property
    def promotion(self) -> tuple[int, timedelta]:
        """`t4_promotion_threshold`: a number of recalls, and the time for them."""
        return read_often(self.t4_promotion_threshold)

    @property
    def cooldown(self) -> timedelta:
        """`t4_promotion_cooldown`."""
        return read_duration(self.t4_promotion_cooldown)

    @property
    def deletion(self) -> timedelta:
        """`t4_deletion_threshold`."""
        return read_duration(self.t4_deletion_threshold)

    def weight(self, tier: Tier) -> float:
        """Return the weight of a tier, 1 if none is set."""
        return self.search_weights.get(_TIERS[list(Tier).index(tier)], 1.0)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The numbers of every profile."""

    act_r: ActR = field(default_factory=ActR)
    decay: Decay = field(default_factory=Decay)
    domain_boost: float = 1.0  # MUMA 5.4
    max_search_results: int = 20  # Moltbot 16
    min_search_score: float = 0.3
    query_expansion: QueryExpansion = field(default_factory=QueryExpansion)
    temporal_decay: TemporalDecay = field(default_factory=TemporalDecay)
    related_memories: RelatedMemories = field(default_factory=RelatedMemories)
    tiered: Tiered = field(default_factory=Tiered)
    co_retrieval: CoRetrieval = field(default_factory=CoRetrieval)
    model: ModelProfile = field(default_factory=ModelProfile)
