"""The base classes of all commands."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from graphmem.operations.fields import bounded_fields
from graphmem.operations.operation import Operation

Answer = TypeVar("Answer", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Input:
    """An input of a request. Raises Invalid when a value is out of its bounds."""

    def __post_init__(self) -> None:
        for field in bounded_fields(type(self)):
            field.check(getattr(self, field.name))


@dataclass(frozen=True, kw_only=True)
class Command(Input, ABC, Generic[Answer]):
    """A request that a viewer may make. The fields of a subclass are its parameters (see
    `fields`)."""

    changes: ClassVar[bool] = False
    """whether it changes the memory"""

    @abstractmethod
    async def run(self, operation: Operation) -> Answer:
        """Run the command through one use case, and return a plain answer. Raises what the use case
        does."""


@dataclass(frozen=True, kw_only=True)
class Change(Command[Answer], ABC):
    """A command that changes the memory."""

    changes: ClassVar[bool] = True
