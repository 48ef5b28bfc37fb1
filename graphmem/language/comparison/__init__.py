"""Compares two texts: whether they say the same, whether one replaces or contradicts the other, and
which of two notes in conflict is kept."""

from graphmem.language.comparison.conflicts import (
    ConflictAction,
    ConflictFound,
    ConflictJudgement,
    ConflictVerdict,
    Deduplication,
    judge_conflict,
    least_similarity,
    since,
    surest_first,
)
from graphmem.language.comparison.opinions import Opinion, accepted_opinion, is_protected
from graphmem.language.comparison.texts import (
    CACHES,
    Comparison,
    TextVerdict,
    compare,
    differs_in_value,
    merged_text,
)

__all__ = (
    "CACHES",
    "Comparison",
    "ConflictAction",
    "ConflictFound",
    "ConflictJudgement",
    "ConflictVerdict",
    "Deduplication",
    "Opinion",
    "TextVerdict",
    "accepted_opinion",
    "compare",
    "differs_in_value",
    "is_protected",
    "judge_conflict",
    "least_similarity",
    "merged_text",
    "since",
    "surest_first",
)
