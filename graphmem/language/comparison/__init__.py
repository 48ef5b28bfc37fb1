"""Compares two texts, and chooses which of two notes in conflict is kept.

Two texts may say the same, or one may replace or contradict the other."""

from graphmem.language.comparison.conflicts import (
    ConflictAction,
    ConflictFound,
    ConflictJudgement,
    ConflictVerdict,
    Deduplication,
    judge_conflict,
    least_similarity,
    surest_first,
    valid_since,
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
    "surest_first",
    "valid_since",
)
