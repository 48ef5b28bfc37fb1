"""Erasing the user who asks."""

from dataclasses import dataclass, replace

from graphmem.domain.erasing import ErasureProgress
from graphmem.domain.fields import Id
from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.services.forgetting import erasing


@dataclass(frozen=True, kw_only=True)
class EraseUser(Change[ErasureProgress]):
    """Destroy for good all that you own, in person, and remove your name from what others keep:
    notes with their history, names, events, agents, sessions, keys, and what teams know from your
    notes. It can't be undone, and nobody is served as you from then on until it is complete."""

    confirm: Id
    """your own id: yes, you mean it"""

    async def run(self, operation: Operation) -> ErasureProgress:
        """Erase them."""
        done = await erasing.erase_own(
            operation.service, operation.access, self.confirm, operation.ends
        )
        # a new object, so that the access is not refreshed: the user no longer exists
        operation.access = replace(operation.access)
        return done
