"""Handoffs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import handoffs as domain
from graphmem.operations.operation import Operation
from graphmem.services.handoffs import handoffs


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """A task that was handed off to an agent, with notes that are lent for it."""

    id: str
    user_id: str
    sender_id: str | None  # agent; None: the user in person
    receiver_id: str  # agent
    summary: str
    """what is to be done"""
    note_ids: tuple[str, ...]  # only those that the viewer may read
    at: datetime
    ended_at: datetime | None


async def handoffs_of(found: Sequence[domain.Handoff], operation: Operation) -> list[Handoff]:
    """Return handoffs with their notes, as far as the viewer reads them."""
    ids = [each.id for each in found]
    notes = await handoffs.notes_of(operation.service, operation.access, ids) if ids else {}
    return [
        Handoff(
            id=each.id,
            user_id=each.user,
            sender_id=each.sender,
            receiver_id=each.receiver,
            summary=each.summary,
            note_ids=tuple(notes.get(each.id, ())),
            at=each.at,
            ended_at=each.ended_at,
        )
        for each in found
    ]


async def handoff_of(found: domain.Handoff, operation: Operation) -> Handoff:
    """Return a handoff."""
    return (await handoffs_of([found], operation))[0]
