"""Going back to an earlier state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from graphmem.domain.fields import Between, Id
from graphmem.domain.notes import Note
from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.services.history import reverting

MAX_VERSION = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class RevertNote(Change[Note]):
    """Restore a note to what it was at a version: its text, and what is said about it. It gets no
    more readers by it. For the user in person."""

    id: Id
    version: Annotated[int, Between(1, MAX_VERSION)]

    async def run(self, operation: Operation) -> Note:
        """Restore the version."""
        return await reverting.revert_note(
            operation.service, operation.access, self.id, self.version
        )


@dataclass(frozen=True, kw_only=True)
class RevertTo(Change[int]):
    """Restore the user's notes to what they were at a time within the last 90 days; the answer is
    the number of notes that change. With `dryRun` nothing changes. Notes made since are archived.
    For the user in person."""

    at: datetime
    dry_run: bool = False

    async def run(self, operation: Operation) -> int:
        """Go back, or count."""
        return await reverting.revert_to(
            operation.service, operation.access, self.at, dry_run=self.dry_run
        )
