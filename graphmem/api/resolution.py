"""Entity resolution in the API: the review list, merges and their undo."""

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import object_type
from graphmem.api.types import Entity
from graphmem.operations import answers
from graphmem.operations.commands.entities import (
    ListEntityReviews,
    MergeEntities,
    RefuseEntityMerge,
    UndoEntityMerge,
)

EntityReview = object_type(answers.EntityReview, one=Entity, other=Entity)


@strawberry.type
class ResolutionQuery:
    """Queries for entities that may be the same."""

    entity_reviews = query_of(ListEntityReviews, list[EntityReview])


@strawberry.type
class ResolutionMutation:
    """Merging entities, and undoing merges."""

    merge_entities = mutation_of(MergeEntities, Entity)
    refuse_entity_merge = mutation_of(RefuseEntityMerge, Entity)
    undo_entity_merge = mutation_of(UndoEntityMerge, Entity)
