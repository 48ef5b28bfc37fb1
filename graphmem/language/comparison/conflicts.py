"""Judges two notes that nearly say the same or contradict each other, and chooses which is kept.

Contradictions follow MUMA 7.2 (the surer stays, then the newer), near copies the enhancement's
component 6 (confirmed before asserted before inferred, then the newer)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphmem.domain.notes import Note, Validity
from graphmem.domain.writing import Writing
from graphmem.language.comparison.sentence_rules import TextVerdict
from graphmem.language.comparison.texts import compare, differs_in_value, rests_are_alike

MOST_PAIRS = 200  # settled by one sweep
DEDUP_SIMILARITY = 0.90  # cosine above which two notes are near copies (L3-14)
_SURENESS = tuple(Validity)


class ConflictVerdict(StrEnum):
    """The relation of two notes in conflict."""

    COMPATIBLE = "COMPATIBLE"
    CONTRADICTORY = "CONTRADICTORY"
    SUBSUMES = "SUBSUMES"
    AMBIGUOUS = "AMBIGUOUS"


class ConflictAction(StrEnum):
    """The action for a pair."""

    MERGE = "MERGE"  # the kept note says what both said; the other is archived
    ARCHIVE = "ARCHIVE"  # the other is archived
    DEPRECATE = "DEPRECATE"  # the other is superseded, its validity DEPRECATED
    FLAG = "FLAG"  # the user decides


@dataclass(frozen=True, kw_only=True)
class ConflictFound:
    """Two notes that can't both stay unchanged, or between which only the user can decide."""

    id: str
    notes: tuple[str, ...]  # ids, the older first
    similarity: float
    verdict: ConflictVerdict
    open: bool
    resolution: str | None
    at: datetime


@dataclass(frozen=True, kw_only=True)
class ConflictJudgement:
    """The relation of two notes, the action, and the note that stays."""

    verdict: ConflictVerdict
    action: ConflictAction
    keep: Note
    other: Note
    reason: str


@dataclass(frozen=True, kw_only=True)
class Deduplication:
    """The settings of the enhancement's component 6."""

    enabled: bool = True
    """`consolidate`: settle near copies"""
    similarity_threshold: float = DEDUP_SIMILARITY
    """cosine above which two notes are near copies"""
    auto_deprecate_agent_inferred: bool = True
    """of two inferred notes the older is deprecated; otherwise both are flagged"""
    max_pairs_per_cycle: int = 20
    """pairs of one audience settled by one run"""
    log_all_candidates: bool = True
    """log the ids and cosines of near copies, never their texts"""

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that make no sense."""
        if not 0 <= self.similarity_threshold <= 1:
            raise ValueError("similarity_threshold must be from 0 to 1")
        if not 1 <= self.max_pairs_per_cycle <= MOST_PAIRS:
            raise ValueError(f"max_pairs_per_cycle must be from 1 to {MOST_PAIRS}")


def surest_first(one: Note, other: Note) -> tuple[Note, Note]:
    """Return two contradicting notes, the surer first, or else the newer (MUMA 7.2)."""
    first, second = sorted(
        (one, other), key=lambda n: (n.confidence, valid_since(n), n.id), reverse=True
    )
    return first, second


def _sort_by_priority(one: Note, other: Note) -> tuple[Note, Note]:
    """Return both notes by priority (L3-16).

    confirmed > asserted > inferred > deprecated, then the newer."""
    first, second = sorted((one, other), key=lambda n: (valid_since(n), n.id), reverse=True)
    if _SURENESS.index(second.validity) < _SURENESS.index(first.validity):
        first, second = second, first
    return first, second


def valid_since(note: Note) -> datetime:
    """Return the instant from which a note is valid."""
    return note.valid_from or note.occurred_at or note.created_at


def least_similarity(rules: Deduplication, writing: Writing) -> float:
    """Return the cosine above which two notes are compared at all.

    It is that of conflicts or that of near copies, whichever is lower."""
    if not rules.enabled:
        return writing.conflict_similarity
    return min(writing.conflict_similarity, rules.similarity_threshold)


def judge_conflict(
    one: Note, other: Note, similarity: float, rules: Deduplication, writing: Writing
) -> ConflictJudgement | None:
    """Judge two notes of one audience; None if they neither agree nor conflict."""
    if similarity <= least_similarity(rules, writing) or (one.title, one.speaker) != (
        other.title,
        other.speaker,
    ):
        return None
    in_conflict = similarity > writing.conflict_similarity
    older, newer = sorted((one, other), key=lambda note: (valid_since(note), note.id))
    found = compare(older.content, newer.content, similarity)
    if found.verdict in (TextVerdict.CONTRADICTS, TextVerdict.REPLACES):
        keep, gone = surest_first(one, other)
        made = _create_judgement(
            ConflictVerdict.CONTRADICTORY, ConflictAction.ARCHIVE, keep, gone, found.reason
        )
        return _flag_if_protected(made) if in_conflict else None
    if not _has_same_occasion(one, other):
        return None
    alike = found.verdict in (TextVerdict.SAME, TextVerdict.EXTENDS)
    if similarity > rules.similarity_threshold and rules.enabled:
        if alike or _is_copy(one.content, other.content):
            return _judge_near_copies(one, other, rules)
        return None
    if not in_conflict:
        return None
    if found.verdict is TextVerdict.UNCLEAR:
        keep, gone = surest_first(one, other)
        return _create_judgement(
            ConflictVerdict.AMBIGUOUS, ConflictAction.FLAG, keep, gone, found.reason
        )
    return _flag_if_protected(_absorb(older, newer, similarity)) if alike else None


def _is_copy(one: str, other: str) -> bool:
    return not differs_in_value(one, other) and rests_are_alike(one, other)


def _has_same_occasion(one: Note, other: Note) -> bool:
    """Check whether both are about the same occasion: the same text on two days is two notes."""
    return (one.episode, one.occurred_at, one.valid_from, one.valid_to, one.expires_at) == (
        other.episode,
        other.occurred_at,
        other.valid_from,
        other.valid_to,
        other.expires_at,
    )


def _judge_near_copies(one: Note, other: Note, rules: Deduplication) -> ConflictJudgement:
    keep, gone = _sort_by_priority(one, other)
    inferred = keep.validity in (Validity.INFERRED, Validity.DEPRECATED)
    stated = keep.validity is gone.validity and not inferred
    if stated or (inferred and not rules.auto_deprecate_agent_inferred):
        reason = "near copies of each other, both stated" if stated else "near copies"
        return _create_judgement(ConflictVerdict.AMBIGUOUS, ConflictAction.FLAG, keep, gone, reason)
    made = _create_judgement(
        ConflictVerdict.COMPATIBLE, ConflictAction.DEPRECATE, keep, gone, "a near copy"
    )
    return _flag_if_protected(made)


def _absorb(older: Note, newer: Note, similarity: float) -> ConflictJudgement:
    """Keep the one that says more; if both say the same the surer, then the newer."""
    for less, more in ((older, newer), (newer, older)):
        if compare(less.content, more.content, similarity).verdict is TextVerdict.EXTENDS:
            return _create_judgement(
                ConflictVerdict.SUBSUMES, ConflictAction.MERGE, more, less, "one says more"
            )
    keep, gone = surest_first(older, newer)
    return _create_judgement(
        ConflictVerdict.COMPATIBLE, ConflictAction.MERGE, keep, gone, "both say the same"
    )


def _create_judgement(
    verdict: ConflictVerdict, action: ConflictAction, keep: Note, other: Note, reason: str
) -> ConflictJudgement:
    return ConflictJudgement(verdict=verdict, action=action, keep=keep, other=other, reason=reason)


def _flag_if_protected(made: ConflictJudgement) -> ConflictJudgement:
    """Leave it to the user if the note to be archived is load-bearing or pinned."""
    if not (made.other.load_bearing or made.other.pinned):
        return made
    reason = f"{made.reason}; the other one bears load or is pinned"
    return _create_judgement(
        ConflictVerdict.AMBIGUOUS, ConflictAction.FLAG, made.keep, made.other, reason
    )
