"""Alerts about the files that agents depend on."""

from dataclasses import dataclass

from graphmem.domain.fields import Id
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.alerts import Alert, alert_of
from graphmem.services import alerts


@dataclass(frozen=True, kw_only=True)
class ListAlerts(Command[list[Alert]]):
    """List the files that agents depend on which were changed since the user confirmed them, or
    which somebody else destroyed, as far as the viewer may read them."""

    async def run(self, operation: Operation) -> list[Alert]:
        """Read it."""
        return await _list_unconfirmed(operation)


@dataclass(frozen=True, kw_only=True)
class ConfirmAlert(Change[list[Alert]]):
    """Say that a change of a file was intentional, up to a version, or that its destruction was, as
    the alert shows it; for the user in person. Nobody is asked about it any more. The answer lists
    what is left to confirm."""

    note_id: Id
    version: int

    async def run(self, operation: Operation) -> list[Alert]:
        """Confirm it."""
        await alerts.confirm(operation.service, operation.access, self.note_id, self.version)
        return await _list_unconfirmed(operation)


async def _list_unconfirmed(operation: Operation) -> list[Alert]:
    """Return the alerts that the user has not confirmed yet."""
    service, access = operation.service, operation.access
    found = await alerts.list_alerts(service, access)
    return [alert_of(each) for each in (*found, *await alerts.list_lost(service, access))]
