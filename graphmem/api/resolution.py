"""Entity resolution in the API: the review list, merges and their undo."""

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.types import Entity
from graphmem.operations.commands.entities import (
    ListEntityReviews,
    MergeEntities,
    UndoEntityMerge,
)


@strawberry.type
class EntityReview:
    """Two entities that may be one: a question for somebody who knows."""

    one: Entity
    other: Entity
    score: float
    reasons: list[str]


@strawberry.type
class ResolutionQuery:
    """Reading what may be one."""

    entity_reviews = query_of(ListEntityReviews, list[EntityReview])


@strawberry.type
class ResolutionMutation:
    """Making entities one, and two again."""

    merge_entities = mutation_of(MergeEntities, Entity)
    undo_entity_merge = mutation_of(UndoEntityMerge, Entity)
