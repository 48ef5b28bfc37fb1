"""The base classes of all commands."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from graphmem.domain.fields import Input
from graphmem.operations.operation import Operation

Answer = TypeVar("Answer", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Command(Input, ABC, Generic[Answer]):
    """A request that a viewer may make. The fields of a subclass are its parameters (see
    `fields`)."""

    changes: ClassVar[bool] = False
    """whether it changes the memory"""
    checks_secrets: ClassVar[bool] = False
    """whether the use case looks for secrets in its texts; else they are cut out before"""
    quarantines: ClassVar[bool] = False
    """whether its text is kept apart if it seems to instruct agents; else it is refused"""

    @abstractmethod
    async def run(self, operation: Operation) -> Answer:
        """Run the command through one use case, and return a plain answer. Raises what the use case
        does."""


@dataclass(frozen=True, kw_only=True)
class Change(Command[Answer], ABC):
    """A command that changes the memory."""

    changes: ClassVar[bool] = True
