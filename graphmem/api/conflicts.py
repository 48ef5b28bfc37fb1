"""Conflicts in the API."""

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import object_type
from graphmem.api.types import Note
from graphmem.language.comparison import ConflictVerdict
from graphmem.operations.commands.conflicts import (
    Consolidate,
    ListConflicts,
    ListNoteCopies,
    RefuseNoteMerge,
    ResolveConflict,
)
from graphmem.operations.docstrings import sentence_of
from graphmem.operations.presenters import conflicts

strawberry.enum(ConflictVerdict, name="Verdict", description=sentence_of(ConflictVerdict))


Conflict = object_type(conflicts.Conflict, notes=Note)
NoteCopy = object_type(conflicts.NoteCopy, note=Note, copy=Note)
ConsolidationReport = object_type(conflicts.ConsolidationReport)


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
