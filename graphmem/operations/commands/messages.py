"""Messages in everyday words."""

from dataclasses import dataclass

from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.messages import CommandPayload, done_of
from graphmem.services import messages


@dataclass(frozen=True, kw_only=True)
class CarryOutMessage(Change[CommandPayload]):
    """Carry out a message such as "remember that ..."; one that is not a command changes nothing,
    unless it says something worth keeping."""

    quarantines = True

    text: str

    async def run(self, operation: Operation) -> CommandPayload:
        """Carry it out."""
        done = await messages.command(operation.service, operation.access, self.text)
        return done_of(done)
