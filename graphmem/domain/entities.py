"""Entities and relations, as far as readable notes back them."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A thing that notes are about. Name, type and aliases are those that readable notes use."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    note_count: int
    as_of: datetime | None = None
    """the instant for which its notes and relations are read"""


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A statement of readable notes about two entities.

    One object for all notes that say the same."""

    id: str
    subject: str  # entity id
    predicate: str
    object: str
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    first_seen_at: datetime
    last_accessed_at: datetime | None
    notes: tuple[str, ...]  # note ids, oldest first


@dataclass(frozen=True, kw_only=True)
class EntityMerge:
    """A merge of one entity into another: by whom, how sure it was, and whether it was undone."""

    id: str
    at: datetime
    actor: str
    score: float
    kept: str  # entity id
    merged_name: str
    undone: bool


@dataclass(frozen=True, kw_only=True)
class PathNode:
    """One station of a path through the graph."""

    id: str
    label: str
    kind: str  # "note" or "entity"


@dataclass(frozen=True, kw_only=True)
class Path:
    """A connection between two entities."""

    nodes: tuple[PathNode, ...]
    relationships: tuple[str, ...]
