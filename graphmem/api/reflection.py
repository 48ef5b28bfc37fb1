"""Reflections in the API."""

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import object_type
from graphmem.domain.reflection import ReflectionStatus
from graphmem.operations.commands.reflection import (
    DecideReflection,
    ListReflections,
    Reflect,
    RevertReflection,
)
from graphmem.operations.docstrings import sentence_of
from graphmem.operations.presenters import reflection

strawberry.enum(ReflectionStatus, description=sentence_of(ReflectionStatus))


ReflectionItem = object_type(reflection.ReflectionItem)
Reflection = object_type(reflection.Reflection, items=ReflectionItem)


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
