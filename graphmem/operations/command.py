"""What all commands have in common."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from graphmem.operations.fields import bounded
from graphmem.operations.operation import Operation

Answer = TypeVar("Answer", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Input:
    """Something that a request gives. Raises Invalid when a value is out of its bounds."""

    def __post_init__(self) -> None:
        for field in bounded(type(self)):
            field.check(getattr(self, field.name))


@dataclass(frozen=True, kw_only=True)
class Command(Input, ABC, Generic[Answer]):
    """One thing that a viewer may ask for. A subclass's fields are what it takes (`fields`)."""

    changes: ClassVar[bool] = False
    """whether it changes the memory"""

    @abstractmethod
    async def run(self, operation: Operation) -> Answer:
        """Carry it out by one use case, and give a plain answer. Raises what the use case does."""


@dataclass(frozen=True, kw_only=True)
class Change(Command[Answer], ABC):
    """One that changes the memory."""

    changes: ClassVar[bool] = True
