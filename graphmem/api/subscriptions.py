"""The subscription: changes, replayed and live."""

from collections.abc import AsyncGenerator

import strawberry

from graphmem.api import payloads
from graphmem.api.context import Info
from graphmem.api.jobs import JobSubscription
from graphmem.api.scalars import Long
from graphmem.services.events import follow


@strawberry.type
class Subscription(JobSubscription):
    """Following the memory."""

    @strawberry.subscription
    async def events(
        self,
        info: Info,
        after: Long | None = None,
        channels: list[str] | None = None,
        types: list[str] | None = None,
        domain: str | None = None,
    ) -> AsyncGenerator[payloads.Event, None]:
        """Replay what came after `after`, then go on live."""
        context = info.context
        async for event in follow(
            context.service,
            context.reopen,
            after=after,
            channels=channels,
            types=types,
            domain=domain,
        ):
            yield payloads.event_of(event)
