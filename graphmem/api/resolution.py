"""Entity resolution in the API: the review list, merges and their undo."""

from __future__ import annotations

import strawberry

from graphmem.api import inputs
from graphmem.api.context import Info
from graphmem.api.types import Entity, entity_of
from graphmem.services import resolution


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

    @strawberry.field
    async def entity_reviews(self, info: Info, first: int | None = 20) -> list[EntityReview]:
        """Pairs of entities that may be one, the surest first; at most 100."""
        context = info.context
        found = await resolution.reviews(
            context.service, context.access, inputs.or_default(first, 20)
        )
        return [
            EntityReview(
                one=entity_of(review.one),
                other=entity_of(review.other),
                score=review.score,
                reasons=list(review.reasons),
            )
            for review in found
        ]


@strawberry.type
class ResolutionMutation:
    """Making entities one, and two again."""

    @strawberry.mutation
    async def merge_entities(self, info: Info, keep: strawberry.ID, merge: strawberry.ID) -> Entity:
        """Make one entity a part of another; it can be undone."""
        context = info.context
        kept = await resolution.merge_entities(context.service, context.access, keep, merge)
        await context.refresh()
        return entity_of(kept)

    @strawberry.mutation
    async def undo_entity_merge(self, info: Info, id: strawberry.ID) -> Entity:
        """Take a merge back: what was said by either's names is its own again. The entity that
        was kept."""
        context = info.context
        kept = await resolution.undo_merge(context.service, context.access, id)
        await context.refresh()
        return entity_of(kept)
