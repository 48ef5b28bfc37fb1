"""How the service is and how it is set up: for admins, since it is about everybody."""

import time
from dataclasses import dataclass

from graphmem.operations.command import Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.health import Health, Setting, health_of
from graphmem.services.actors import require_admin
from graphmem.services.health import read_database


@dataclass(frozen=True, kw_only=True)
class GetHealth(Command[Health]):
    """The state of the process that answers, and of its database: versions, sizes, times and what
    waits; for admins."""

    async def run(self, operation: Operation) -> Health:
        """Look."""
        require_admin(operation.access)
        service = operation.service
        database = await read_database(service)
        return health_of(service, database, time.monotonic() - service.meter.began_s)


@dataclass(frozen=True, kw_only=True)
class ListSettings(Command[list[Setting]]):
    """The settings of the service: each one, its value and what it means; of a secret only if it
    is set; for admins."""

    async def run(self, operation: Operation) -> list[Setting]:
        """List them."""
        require_admin(operation.access)
        return list(operation.service.settings())
