"""Core memory."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.fields import MayBeEmpty
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.core import CoreMemory, core_of
from graphmem.services import core


@dataclass(frozen=True, kw_only=True)
class GetCoreMemory(Command[CoreMemory]):
    """Core memory: who the user is, what is going on, how to work together, and what must never be
    forgotten; from lines that were written (setCoreBlock) and from readable notes."""

    as_of: datetime | None = None
    """what notes said at this instant"""

    async def run(self, operation: Operation) -> CoreMemory:
        """Read it."""
        access = operation.access.without_quarantine()
        found = await core.core_memory_as_of(operation.service, access, access.by_name, self.as_of)
        return core_of(found)


@dataclass(frozen=True, kw_only=True)
class SetCoreBlock(Change[CoreMemory]):
    """Write the lines of a block (identity, context, persona, critical). Each line is a note: lines
    that exist stay, lines that are missing in the text are archived, as far as the viewer can read
    them. Lines that come from other notes stay as long as the notes do."""

    name: str
    text: MayBeEmpty

    async def run(self, operation: Operation) -> CoreMemory:
        """Write them."""
        await core.set_core_block(operation.service, operation.access, self.name, self.text)
        await operation.refresh()
        return await GetCoreMemory().run(operation)
