"""Commands about notes that no agent reads until the user has looked."""

from dataclasses import dataclass

from graphmem.domain.fields import Id
from graphmem.domain.notes import Note
from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.services.writing.releasing import release


@dataclass(frozen=True, kw_only=True)
class ReleaseNote(Change[Note]):
    """Let agents read a note that is `QUARANTINED`, as far as they could if it had not been; for
    the user in person. `forget` archives one instead."""

    id: Id

    async def run(self, operation: Operation) -> Note:
        """Release it."""
        return await release(operation.service, operation.access, self.id)
