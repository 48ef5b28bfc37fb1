"""Conflicts, and what settling them did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.language import comparison
from graphmem.language.comparison import ConflictVerdict
from graphmem.operations.presenters.notes import Note
from graphmem.services.consolidation.consolidating import Report


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Two notes that can't both stay as they are, or that only the user can tell apart."""

    id: str
    notes: tuple[Note, ...]
    similarity: float
    verdict: ConflictVerdict
    open: bool
    resolution: str | None
    at: datetime


@dataclass(frozen=True, kw_only=True)
class ConsolidationReport:
    """What consolidating did; `pruned` counts deprecated and archived notes."""

    created: int
    merged: int
    pruned: int
    conflicts: int
    markdown: str


def conflicts_of(
    found: Sequence[comparison.ConflictFound], notes: Mapping[str, Note]
) -> list[Conflict]:
    """Conflicts with those of their notes that are there."""
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


def report_of(done: Report) -> ConsolidationReport:
    """What consolidating did."""
    return ConsolidationReport(
        created=done.created,
        merged=done.sweep.merged,
        pruned=done.archived + done.sweep.deprecated + done.sweep.archived,
        conflicts=done.sweep.flagged,
        markdown=done.markdown,
    )
