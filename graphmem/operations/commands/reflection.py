"""Reflections."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.fields import Between, Id
from graphmem.domain.reflection import ReflectionStatus
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.reflection import Reflection, reflection_of
from graphmem.services.reflection import deciding, reading, reflecting


@dataclass(frozen=True, kw_only=True)
class ListReflections(Command[list[Reflection]]):
    """The viewer's reflections, newest first; for the user those of the agents too."""

    status: ReflectionStatus | None = None
    first: Annotated[int, Between(1, reading.MAX_PAGE)] = 20

    async def run(self, operation: Operation) -> list[Reflection]:
        """Read them."""
        found = await reading.list_reflections(
            operation.service, operation.access, status=self.status, first=self.first
        )
        return [reflection_of(each) for each in found]


@dataclass(frozen=True, kw_only=True)
class Reflect(Change[Reflection]):
    """Go through the readable memory, or its notes about a topic, and propose changes; nothing is
    changed before the user decides."""

    topic: str | None = None

    async def run(self, operation: Operation) -> Reflection:
        """Reflect."""
        made = await reflecting.reflect(operation.service, operation.access, self.topic)
        return reflection_of(made)


@dataclass(frozen=True, kw_only=True)
class DecideReflection(Change[Reflection]):
    """Apply the accepted items of a reflection, all or none; for the user in person. `accept`
    empty and no `reject` refuses the whole."""

    id: Id
    accept: tuple[Id, ...]
    reject: tuple[Id, ...] | None = None

    async def run(self, operation: Operation) -> Reflection:
        """Decide."""
        done = await deciding.decide_reflection(
            operation.service, operation.access, self.id, self.accept, self.reject
        )
        return reflection_of(done)


@dataclass(frozen=True, kw_only=True)
class RevertReflection(Change[Reflection]):
    """Undo what an applied reflection changed; for the user in person."""

    id: Id

    async def run(self, operation: Operation) -> Reflection:
        """Revert it."""
        done = await deciding.revert_reflection(operation.service, operation.access, self.id)
        return reflection_of(done)
