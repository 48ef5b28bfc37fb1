"""Answers to questions."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain import coretrieval
from graphmem.domain.scopes import Scope
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.notes import Note, note_of
from graphmem.services.packages import Package
from graphmem.services.recall import recall
from graphmem.services.recall.expansion import PathStep


@dataclass(frozen=True, kw_only=True)
class ScorePart:
    """The contribution of one of the values to a score."""

    name: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Why:
    """The values that a score was made of, with the names in the profile's document; `parts` gives
    the contribution of each, and they add up to the score."""

    parts: tuple[ScorePart, ...]
    similarity: float | None = None
    keyword: float | None = None
    graph: float | None = None
    activation: float | None = None
    relevance: float | None = None
    recency: float | None = None
    domain_boost: float | None = None
    tier_weight: float | None = None
    related_boost: float | None = None
    noise: float | None = None


VALUES: Final = tuple(each.name for each in dataclasses.fields(Why) if each.name != "parts")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """The part of a long note that is nearest to the question, with the positions of its first
    character in the note's content and of the one after its last."""

    text: str
    from_: int
    to: int


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One note of an answer."""

    rank: int
    score: float
    note: Note
    via: tuple[PathStep, ...]
    why: Why | None
    superseded_by: str | None
    """id of the hit that says otherwise and is newer"""
    passage: Passage | None
    """of a long note, the part that is nearest to the question"""


@dataclass(frozen=True, kw_only=True)
class Recall:
    """The answer to a question."""

    id: str
    hits: tuple[Hit, ...]
    strategy: str
    confidence: float
    took_ms: float


@dataclass(frozen=True, kw_only=True)
class ContextPackage:
    """A text for a prompt, and the hits that it was made of; feedback on it is given under
    `recallId`."""

    text: str
    hits: tuple[Hit, ...]
    token_count: int
    recall_id: str
    confidence: float
    suggested_scope: Scope
    suggested_domains: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ClusterCandidate:
    """Two notes that were often recalled together; for information only."""

    notes: tuple[Note, Note]
    co_retrieval_count: int
    first_seen: datetime
    last_seen: datetime


def recall_of(answer: recall.Recall, operation: Operation, *, explain: bool = False) -> Recall:
    """Return an answer, with the reasons for its scores only if `explain` is true."""
    return Recall(
        id=answer.id,
        hits=tuple(hit_of(hit, operation, explain=explain) for hit in answer.hits),
        strategy=answer.strategy,
        confidence=answer.confidence,
        took_ms=answer.took_ms,
    )


def package_of(made: Package, operation: Operation) -> ContextPackage:
    """Return a context package."""
    return ContextPackage(
        text=made.text,
        hits=tuple(hit_of(hit, operation, explain=False) for hit in made.hits),
        token_count=made.token_count,
        recall_id=made.recall_id,
        confidence=made.confidence,
        suggested_scope=made.suggested_scope,
        suggested_domains=made.suggested_domains,
    )


def hit_of(hit: recall.Hit, operation: Operation, *, explain: bool) -> Hit:
    """Return one note of an answer, with the reasons for its score only if `explain` is true."""
    part = hit.passage
    return Hit(
        rank=hit.rank,
        score=hit.score,
        note=note_of(hit.note, operation),
        via=hit.via,
        why=_why_of(hit.why) if explain else None,
        superseded_by=hit.superseded_by,
        passage=None if part is None else Passage(text=part.text, from_=part.start, to=part.end),
    )


def _why_of(why: recall.Why) -> Why:
    return Why(
        parts=tuple(ScorePart(name=name, value=value) for name, value in why.summands),
        **{name: getattr(why, name, None) for name in VALUES},
    )


def candidates_of(
    found: Sequence[coretrieval.ClusterCandidate], notes: Mapping[str, Note]
) -> list[ClusterCandidate]:
    """Return the pairs whose two notes are given."""
    return [
        ClusterCandidate(
            notes=(notes[each.notes[0]], notes[each.notes[1]]),
            co_retrieval_count=each.count,
            first_seen=each.first_seen,
            last_seen=each.last_seen,
        )
        for each in found
        if all(i in notes for i in each.notes)
    ]
