"""Object types that refer to no others, or to one alone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from graphmem.api.enums import Visibility
from graphmem.api.scalars import JSON
from graphmem.domain import entities, notes

if TYPE_CHECKING:
    from graphmem.api.types import Entity


@strawberry.type
class Wording:
    """One telling of what a note says."""

    at: datetime
    actor: str
    content: str
    speaker: str | None
    occurred_at: datetime | None


@strawberry.type
class Revision:
    """A state of a note's text."""

    version: int
    at: datetime
    actor: str
    content: str
    changes: JSON


@strawberry.type
class VisibilityRule:
    """The visibility of new notes of a domain and below."""

    domain: str
    visibility: Visibility


def revision_of(revision: notes.Revision) -> Revision:
    """A revision."""
    return Revision(
        version=revision.version,
        at=revision.at,
        actor=revision.actor,
        content=revision.content,
        changes=JSON(revision.changes),
    )


def wording_of(wording: notes.Wording) -> Wording:
    """A wording."""
    return Wording(
        at=wording.at,
        actor=wording.actor,
        content=wording.content,
        speaker=wording.speaker,
        occurred_at=wording.occurred_at,
    )


@strawberry.type
class EntityMerge:
    """One entity became a part of another."""

    id: strawberry.ID
    at: datetime
    actor: str
    score: float
    kept: Annotated[Entity, strawberry.lazy("graphmem.api.types")]
    merged_name: str
    undone: bool


def merge_of(merge: entities.EntityMerge, kept: Entity) -> EntityMerge:
    """A merge into an entity."""
    return EntityMerge(
        id=strawberry.ID(merge.id),
        at=merge.at,
        actor=merge.actor,
        score=merge.score,
        kept=kept,
        merged_name=merge.merged_name,
        undone=merge.undone,
    )
