"""Reflections in the API."""

from datetime import datetime

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.scalars import JSON
from graphmem.domain.reflection import ReflectionStatus
from graphmem.operations.commands.reflection import (
    DecideReflection,
    ListReflections,
    Reflect,
    RevertReflection,
)

strawberry.enum(ReflectionStatus)


@strawberry.type
class ReflectionItem:
    """One change that a reflection proposes."""

    id: strawberry.ID
    kind: str
    summary: str
    diff: JSON
    accepted: bool | None


@strawberry.type
class Reflection:
    """The changes that going through the memory proposes."""

    id: strawberry.ID
    number: int
    status: ReflectionStatus
    at: datetime
    items: list[ReflectionItem]
    markdown: str
    tokens_used: int
    token_budget: int


@strawberry.type
class ReflectionQuery:
    """Reading reflections."""

    reflections = query_of(ListReflections, list[Reflection])


@strawberry.type
class ReflectionMutation:
    """Making and deciding reflections."""

    reflect = mutation_of(Reflect, Reflection)
    decide_reflection = mutation_of(DecideReflection, Reflection)
    revert_reflection = mutation_of(RevertReflection, Reflection)
