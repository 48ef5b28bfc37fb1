"""Alerts about the files that agents live by."""

from dataclasses import dataclass

from graphmem.operations.command import Change, Command
from graphmem.operations.fields import Id
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.alerts import Alert, alert_of
from graphmem.services import alerts


@dataclass(frozen=True, kw_only=True)
class ListAlerts(Command[list[Alert]]):
    """List the files that agents live by which were changed since the user confirmed them, or which
    somebody else destroyed, as far as the viewer may read them."""

    async def run(self, operation: Operation) -> list[Alert]:
        """Read it."""
        return await _left(operation)


@dataclass(frozen=True, kw_only=True)
class ConfirmAlert(Change[list[Alert]]):
    """Say that a change of a file was intentional, up to a version, or that it was to be destroyed,
    as an alert says it; for the user in person. Nobody is asked about it any more. The answer is
    what is left to confirm."""

    note_id: Id
    version: int

    async def run(self, operation: Operation) -> list[Alert]:
        """Confirm it."""
        await alerts.confirm(operation.service, operation.access, self.note_id, self.version)
        return await _left(operation)


async def _left(operation: Operation) -> list[Alert]:
    """Return what the user is still to be asked about."""
    service, access = operation.service, operation.access
    found = await alerts.list_alerts(service, access)
    return [alert_of(each) for each in (*found, *await alerts.list_lost(service, access))]
