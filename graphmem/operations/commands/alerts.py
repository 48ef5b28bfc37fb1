"""Alerts about the files that agents live by."""

from dataclasses import dataclass

from graphmem.operations.command import Change, Command
from graphmem.operations.fields import Id
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.alerts import Alert, alert_of
from graphmem.services import alerts


@dataclass(frozen=True, kw_only=True)
class ListAlerts(Command[list[Alert]]):
    """What was changed of the files that agents live by since the user confirmed them, as far as
    the viewer may read them."""

    async def run(self, operation: Operation) -> list[Alert]:
        """Read it."""
        found = await alerts.list_alerts(operation.service, operation.access)
        return [alert_of(each) for each in found]


@dataclass(frozen=True, kw_only=True)
class ConfirmAlert(Change[list[Alert]]):
    """Say that a change of a file was intentional, up to a version, as an alert tells it; for the
    user in person. Nobody is asked about it any more. The answer is what is left to confirm."""

    note_id: Id
    version: int

    async def run(self, operation: Operation) -> list[Alert]:
        """Confirm it."""
        left = await alerts.confirm(operation.service, operation.access, self.note_id, self.version)
        return [alert_of(each) for each in left]
