"""Conflicts in the API."""

from datetime import datetime

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.types import Note
from graphmem.language.comparison import ConflictVerdict
from graphmem.operations.commands.conflicts import (
    Consolidate,
    ListConflicts,
    ListNoteCopies,
    RefuseNoteMerge,
    ResolveConflict,
)

strawberry.enum(ConflictVerdict, name="Verdict")


@strawberry.type
class Conflict:
    """Two notes that can't both stay unchanged, or that only the user can decide about."""

    id: strawberry.ID
    notes: list[Note]
    similarity: float
    verdict: ConflictVerdict
    open: bool
    resolution: str | None
    at: datetime


@strawberry.type
class NoteCopy:
    """A note that rules hold to be a copy of another with the same readers."""

    note: Note
    """says what both say, when they are merged"""
    copy: Note
    """is archived then"""
    similarity: float
    reason: str
    merges_at: datetime
    """From when on the job `merge_notes` merges the two, unless somebody refuses."""


@strawberry.type
class ConsolidationReport:
    """The result of consolidating; `pruned` counts deprecated and archived notes."""

    created: int
    merged: int
    pruned: int
    conflicts: int
    markdown: str


@strawberry.type
class ConflictQuery:
    """Reading conflicts."""

    conflicts = query_of(ListConflicts, list[Conflict])
    note_copies = query_of(ListNoteCopies, list[NoteCopy])


@strawberry.type
class ConflictMutation:
    """Settling conflicts."""

    consolidate = mutation_of(Consolidate, ConsolidationReport)
    refuse_note_merge = mutation_of(RefuseNoteMerge, bool)
    resolve_conflict = mutation_of(ResolveConflict, Conflict)
