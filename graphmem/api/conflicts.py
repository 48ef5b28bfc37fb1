"""Conflicts in the API."""

from datetime import datetime

import strawberry

from graphmem.api import inputs
from graphmem.api.context import Info
from graphmem.api.types import Note, load_notes
from graphmem.language.comparison import conflicts as domain
from graphmem.language.comparison.conflicts import ConflictVerdict
from graphmem.services import conflicts

strawberry.enum(ConflictVerdict, name="Verdict")


@strawberry.type
class Conflict:
    """Two notes that can't both stay as they are, or that only the user can tell apart."""

    id: strawberry.ID
    notes: list[Note]
    similarity: float
    verdict: ConflictVerdict
    open: bool
    resolution: str | None
    at: datetime


@strawberry.type
class ConflictQuery:
    """Reading conflicts."""

    @strawberry.field
    async def conflicts(
        self, info: Info, open: bool | None = True, first: int | None = 50
    ) -> list[Conflict]:
        """Open or settled conflicts between readable notes, newest first."""
        context = info.context
        found = await conflicts.list_conflicts(
            context.service,
            context.access,
            is_open=inputs.or_default(open, True),
            first=inputs.or_default(first, 50),
        )
        return await _conflicts_of(info, found)


@strawberry.type
class ConsolidationReport:
    """What consolidating did; `pruned` counts deprecated and archived notes."""

    created: int
    merged: int
    pruned: int
    conflicts: int
    markdown: str


@strawberry.type
class ConflictMutation:
    """Settling conflicts."""

    @strawberry.mutation
    async def consolidate(self, info: Info) -> ConsolidationReport:
        """Settle near copies and contradictions among the readable notes, some twenty pairs at
        once; what only the user can tell apart becomes an open conflict."""
        context = info.context
        done = await conflicts.sweep_conflicts(context.service, context.access)
        await context.refresh()
        return ConsolidationReport(
            created=0,
            merged=done.merged,
            pruned=done.deprecated + done.archived,
            conflicts=done.flagged,
            markdown=done.markdown,
        )

    @strawberry.mutation
    async def resolve_conflict(
        self,
        info: Info,
        id: strawberry.ID,
        verdict: ConflictVerdict,
        keep: strawberry.ID | None = None,
    ) -> Conflict:
        """Settle a conflict: merge the two notes (COMPATIBLE), or keep one (CONTRADICTORY,
        SUBSUMES); AMBIGUOUS leaves it open."""
        context = info.context
        done = await conflicts.resolve_conflict(context.service, context.access, id, verdict, keep)
        await context.refresh()
        return (await _conflicts_of(info, [done]))[0]


async def _conflicts_of(info: Info, found: list[domain.Conflict]) -> list[Conflict]:
    ids = dict.fromkeys(note for each in found for note in each.notes)
    notes = {str(note.id): note for note in await load_notes(info, ids)}
    return [
        Conflict(
            id=strawberry.ID(each.id),
            notes=[notes[i] for i in each.notes if i in notes],
            similarity=each.similarity,
            verdict=each.verdict,
            open=each.open,
            resolution=each.resolution,
            at=each.at,
        )
        for each in found
    ]
