"""Entity resolution in the API: the review list, merges and their undo."""

from datetime import datetime

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.types import Entity
from graphmem.operations.commands.entities import (
    ListEntityReviews,
    MergeEntities,
    RefuseEntityMerge,
    UndoEntityMerge,
)


@strawberry.type
class EntityReview:
    """Two entities that may be the same: a question for somebody who knows."""

    one: Entity
    other: Entity
    score: float
    reasons: list[str]
    merges_at: datetime | None
    """When rules merge the two, unless somebody refuses; null: they do not."""


@strawberry.type
class ResolutionQuery:
    """Reading which entities may be the same."""

    entity_reviews = query_of(ListEntityReviews, list[EntityReview])


@strawberry.type
class ResolutionMutation:
    """Merging entities, and undoing merges."""

    merge_entities = mutation_of(MergeEntities, Entity)
    refuse_entity_merge = mutation_of(RefuseEntityMerge, Entity)
    undo_entity_merge = mutation_of(UndoEntityMerge, Entity)
