"""Entities with what is said of them, and pairs that may be one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import entities as domain
from graphmem.domain.entities import Entity


@dataclass(frozen=True, kw_only=True)
class Relation:
    """What readable notes say of two entities."""

    id: str
    subject: Entity
    predicate: str
    object: Entity
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    first_seen_at: datetime
    last_accessed_at: datetime | None
    note_ids: tuple[str, ...]


def relations_of(
    found: Sequence[domain.Relation], entities: Mapping[str, Entity]
) -> list[Relation]:
    """Relations whose two entities are there."""
    return [
        Relation(
            id=each.id,
            subject=entities[each.subject],
            predicate=each.predicate,
            object=entities[each.object],
            confidence=each.confidence,
            valid_from=each.valid_from,
            valid_to=each.valid_to,
            first_seen_at=each.first_seen_at,
            last_accessed_at=each.last_accessed_at,
            note_ids=each.notes,
        )
        for each in found
        if each.subject in entities and each.object in entities
    ]
