"""Merges of entities, and the statements about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import entities as domain
from graphmem.domain.entities import Entity
from graphmem.domain.predicates import inverse


@dataclass(frozen=True, kw_only=True)
class EntityMerge:
    """A merge of one entity into another."""

    id: str
    at: datetime
    actor: str
    score: float
    kept: Entity
    merged_name: str
    undone: bool


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A statement of readable notes about two entities."""

    id: str
    subject: Entity
    predicate: str
    inverse: str | None
    """the predicate as seen from the object: `used-by` for `uses`; null if there is no word"""
    object: Entity
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    first_seen_at: datetime
    last_accessed_at: datetime | None
    note_ids: tuple[str, ...]
    as_of: datetime | None = None


def merge_of(merge: domain.EntityMerge, kept: Entity) -> EntityMerge:
    """Return a merge into an entity."""
    return EntityMerge(
        id=merge.id,
        at=merge.at,
        actor=merge.actor,
        score=merge.score,
        kept=kept,
        merged_name=merge.merged_name,
        undone=merge.undone,
    )


def relations_of(
    found: Sequence[domain.Relation],
    entities: Mapping[str, Entity],
    as_of: datetime | None = None,
) -> list[Relation]:
    """Return the relations whose two entities are given."""
    return [
        Relation(
            id=each.id,
            subject=entities[each.subject],
            predicate=each.predicate,
            inverse=inverse(each.predicate),
            object=entities[each.object],
            confidence=each.confidence,
            valid_from=each.valid_from,
            valid_to=each.valid_to,
            first_seen_at=each.first_seen_at,
            last_accessed_at=each.last_accessed_at,
            note_ids=each.notes,
            as_of=as_of,
        )
        for each in found
        if each.subject in entities and each.object in entities
    ]
