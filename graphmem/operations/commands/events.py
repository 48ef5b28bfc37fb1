"""Events: in pages, and live."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from graphmem.domain.events import Event
from graphmem.domain.fields import Between, Domain, Id, Long
from graphmem.operations.command import Command
from graphmem.operations.operation import Operation
from graphmem.services import events
from graphmem.services.reading.notes import MAX_PAGE


@dataclass(frozen=True, kw_only=True)
class ListEvents(Command[list[Event]]):
    """Changes of the memory, oldest first, or newest first with `newestFirst`."""

    after: Long | None = None
    """only those with a greater number"""
    before: Long | None = None
    """only those with a smaller number"""
    newest_first: bool = False
    types: tuple[str, ...] | None = None
    actor: str | None = None
    subject_id: Id | None = None
    since: datetime | None = None
    until: datetime | None = None
    first: Annotated[int, Between(1, MAX_PAGE)] = 50

    async def run(self, operation: Operation) -> list[Event]:
        """Read a page."""
        return await events.list_events(
            operation.service,
            operation.access,
            after=self.after or 0,
            before=self.before,
            newest_first=self.newest_first,
            types=self.types,
            actor=self.actor,
            subject_id=self.subject_id,
            since=self.since,
            until=self.until,
            first=self.first,
        )


@dataclass(frozen=True, kw_only=True)
class FollowEvents(Command[AsyncGenerator[Event]]):
    """Replay the events after `after`, then continue live."""

    after: Long | None = None
    channels: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    domain: Domain | None = None

    async def run(self, operation: Operation) -> AsyncGenerator[Event]:
        """Begin to follow; whoever takes the events closes the generator."""
        return events.follow(
            operation.service,
            operation.reopen,
            after=self.after,
            channels=self.channels,
            types=self.types,
            domain=self.domain,
            who=operation.who,
        )
