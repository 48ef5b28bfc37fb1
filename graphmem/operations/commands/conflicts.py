"""Conflicts: listing them, and settling them."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.fields import Between, Id
from graphmem.language.comparison import ConflictVerdict
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.conflicts import (
    Conflict,
    ConsolidationReport,
    NoteCopy,
    conflicts_of,
    copies_of,
    report_of,
)
from graphmem.operations.related import load_notes
from graphmem.services import conflicts
from graphmem.services.consolidation import consolidating


@dataclass(frozen=True, kw_only=True)
class ListConflicts(Command[list[Conflict]]):
    """Open or settled conflicts between readable notes, newest first."""

    open: bool = True
    first: Annotated[int, Between(1, conflicts.MAX_PAGE)] = 50

    async def run(self, operation: Operation) -> list[Conflict]:
        """Read them."""
        found = await conflicts.list_conflicts(
            operation.service, operation.access, is_open=self.open, first=self.first
        )
        ids = [note for each in found for note in each.notes]
        return conflicts_of(found, await load_notes(operation, ids))


@dataclass(frozen=True, kw_only=True)
class ListNoteCopies(Command[list[NoteCopy]]):
    """Notes that rules hold to be copies of others and will merge, newest verdict first."""

    first: Annotated[int, Between(1, conflicts.MAX_PAGE)] = 50

    async def run(self, operation: Operation) -> list[NoteCopy]:
        """Read them."""
        found = await conflicts.list_copies(operation.service, operation.access, self.first)
        ids = [note for each in found for note in (each.note, each.copy)]
        return copies_of(found, await load_notes(operation, ids))


@dataclass(frozen=True, kw_only=True)
class RefuseNoteMerge(Change[bool]):
    """Keep two notes that wait to be merged as they are, for good: rules never merge them."""

    one: Id
    other: Id

    async def run(self, operation: Operation) -> bool:
        """Refuse it."""
        return await conflicts.refuse_note_merge(
            operation.service, operation.access, self.one, self.other
        )


@dataclass(frozen=True, kw_only=True)
class Consolidate(Change[ConsolidationReport]):
    """Make summaries of the readable episodes of the last day, and settle near copies and
    contradictions, some twenty pairs at once; what only the user can decide becomes an open
    conflict."""

    async def run(self, operation: Operation) -> ConsolidationReport:
        """Consolidate."""
        done = await consolidating.consolidate(operation.service, operation.access)
        return report_of(done)


@dataclass(frozen=True, kw_only=True)
class ResolveConflict(Change[Conflict]):
    """Settle a conflict: merge the two notes (COMPATIBLE), or keep one (CONTRADICTORY,
    SUBSUMES); AMBIGUOUS leaves it open."""

    id: Id
    verdict: ConflictVerdict
    keep: Id | None = None

    async def run(self, operation: Operation) -> Conflict:
        """Settle it."""
        done = await conflicts.resolve_conflict(
            operation.service, operation.access, self.id, self.verdict, self.keep
        )
        await operation.refresh()
        return conflicts_of([done], await load_notes(operation, done.notes))[0]
