"""Conflicts, and the result of settling them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import copies
from graphmem.domain.notes import Note
from graphmem.language import comparison
from graphmem.language.comparison import ConflictVerdict
from graphmem.services.consolidation.consolidating import Report


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Two notes that can't both stay unchanged, or that only the user can decide about."""

    id: str
    notes: tuple[Note, ...]
    similarity: float
    verdict: ConflictVerdict
    open: bool
    resolution: str | None
    at: datetime


@dataclass(frozen=True, kw_only=True)
class NoteCopy:
    """A note that rules hold to be a copy of another with the same readers, and will merge."""

    note: Note
    """says what both say, when they are merged"""
    copy: Note
    """is archived then"""
    similarity: float
    reason: str
    merges_at: datetime
    """from when on the job `merge_notes` merges the two, unless somebody refuses"""


@dataclass(frozen=True, kw_only=True)
class ConsolidationReport:
    """The result of consolidating; `pruned` counts deprecated and archived notes."""

    created: int
    merged: int
    pruned: int
    conflicts: int
    markdown: str


def conflicts_of(
    found: Sequence[comparison.ConflictFound], notes: Mapping[str, Note]
) -> list[Conflict]:
    """Return conflicts with those of their notes that exist."""
    return [
        Conflict(
            id=each.id,
            notes=tuple(notes[i] for i in each.notes if i in notes),
            similarity=each.similarity,
            verdict=each.verdict,
            open=each.open,
            resolution=each.resolution,
            at=each.at,
        )
        for each in found
    ]


def copies_of(found: Sequence[copies.NoteCopy], notes: Mapping[str, Note]) -> list[NoteCopy]:
    """Return the copies of which both notes exist."""
    return [
        NoteCopy(
            note=notes[each.note],
            copy=notes[each.copy],
            similarity=each.cosine,
            reason=each.rule,
            merges_at=each.merges_at,
        )
        for each in found
        if each.note in notes and each.copy in notes
    ]


def report_of(done: Report) -> ConsolidationReport:
    """Return the result of consolidating."""
    return ConsolidationReport(
        created=done.created,
        merged=done.sweep.merged,
        pruned=done.archived + done.sweep.deprecated + done.sweep.archived,
        conflicts=done.sweep.flagged,
        markdown=done.markdown,
    )
