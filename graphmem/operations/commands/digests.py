"""Digests of old events."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.digests import Digest
from graphmem.domain.fields import Between
from graphmem.operations.command import Command
from graphmem.operations.operation import Operation
from graphmem.services import digests


@dataclass(frozen=True, kw_only=True)
class ListAuditDigests(Command[list[Digest]]):
    """The digests of events that are too old to be listed: numbers by month, newest first. For the
    user in person."""

    first: Annotated[int, Between(1, digests.MAX_DIGESTS)] = 12

    async def run(self, operation: Operation) -> list[Digest]:
        """Read them."""
        return await digests.list_digests(operation.service, operation.access, self.first)
