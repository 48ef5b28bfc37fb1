"""Reflections in the API."""

from datetime import datetime

import strawberry

from graphmem.api import inputs
from graphmem.api.context import Info
from graphmem.api.scalars import JSON
from graphmem.domain.reflection import ReflectionStatus
from graphmem.services.reflection import deciding as reflection_deciding
from graphmem.services.reflection import reading as reflection
from graphmem.services.reflection import reflecting
from graphmem.services.reflection.reading import Shown

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
    """What going through the memory proposes."""

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

    @strawberry.field
    async def reflections(
        self, info: Info, status: ReflectionStatus | None = None, first: int | None = 20
    ) -> list[Reflection]:
        """The viewer's reflections, newest first; for the user those of the agents too."""
        found = await reflection.list_reflections(
            info.context.service,
            info.context.access,
            status=status,
            first=inputs.or_default(first, 20),
        )
        return [reflection_of(each) for each in found]


@strawberry.type
class ReflectionMutation:
    """Making and deciding reflections."""

    @strawberry.mutation
    async def reflect(self, info: Info) -> Reflection:
        """Go through the readable memory and propose what follows; nothing is changed before the
        user decides."""
        context = info.context
        return reflection_of(await reflecting.reflect(context.service, context.access))

    @strawberry.mutation
    async def decide_reflection(
        self,
        info: Info,
        id: strawberry.ID,
        accept: list[strawberry.ID],
        reject: list[strawberry.ID] | None = None,
    ) -> Reflection:
        """Apply the accepted items of a reflection, all or none; for the user in person. `accept`
        empty and no `reject` refuses the whole."""
        context = info.context
        done = await reflection_deciding.decide_reflection(
            context.service, context.access, id, accept, reject
        )
        await context.refresh()
        return reflection_of(done)

    @strawberry.mutation
    async def revert_reflection(self, info: Info, id: strawberry.ID) -> Reflection:
        """Take back what an applied reflection changed; for the user in person."""
        context = info.context
        done = await reflection_deciding.revert_reflection(context.service, context.access, id)
        await context.refresh()
        return reflection_of(done)


def reflection_of(shown: Shown) -> Reflection:
    """A reflection as the API gives it."""
    found = shown.reflection
    return Reflection(
        id=strawberry.ID(found.id),
        number=found.number,
        status=found.status,
        at=found.at,
        items=[
            ReflectionItem(
                id=strawberry.ID(item.id),
                kind=item.kind,
                summary=words.summary,
                diff=JSON(words.diff),
                accepted=item.accepted,
            )
            for item, words in zip(found.items, shown.words, strict=True)
        ],
        markdown=shown.markdown,
        tokens_used=found.tokens_used,
        token_budget=found.token_budget,
    )
