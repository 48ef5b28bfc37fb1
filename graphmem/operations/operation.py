"""One operation: the service's parts and who asks, for as long as it is carried out."""

from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial

from graphmem.domain.visibility import Audience
from graphmem.operations.authentication import Authenticator, Credentials
from graphmem.operations.shares import Share, Shares
from graphmem.services.context import Access, Context

Service = Context  # the parts of a running service, which protocols hand on unopened


@dataclass(kw_only=True)
class Operation:
    """What a command is carried out with."""

    service: Service
    access: Access
    reopen: Callable[[], Awaitable[Access]]
    who: Hashable = None  # the same for all whose `reopen` does the same
    ends: float | None = None  # by when work should be done, in the time of the event loop
    streams: Shares = field(default_factory=Shares)

    async def refresh(self) -> None:
        """Open the access anew, after a change."""
        self.access = await self.reopen()

    async def look(self) -> None:
        """Look whether who asks may still ask, once for all who look at the same moment. Raises
        what `reopen` does."""
        if self.who is None:
            await self.reopen()
        else:
            await self.service.bus.reads.get(("who", self.who), self.reopen)

    def take_stream(self) -> Share:
        """Return a place for an answer that goes on. Raises RateLimited."""
        return self.streams.take(self.access.viewer.user)

    def wrote(self, audiences: Iterable[Audience]) -> None:
        """Do without opening the access anew after notes of these audiences were written: nothing
        else of it has changed."""
        self.access = self.access.with_audiences(audiences)


async def open_operation(
    service: Service,
    authenticator: Authenticator,
    given: Credentials,
    *,
    traces: bool = True,
    used: bool = False,
) -> Operation:
    """Return an operation of who asks; without `traces` it may write nothing, and logs no recall,
    unless its recalls are `used`: then those count as any other.

    Raises Unauthenticated, Invalid, RateLimited."""
    service.callers.came()
    parts = service if traces else service.without_traces(used=used)
    reopen = partial(authenticator.open, parts, given, traces=traces)
    access = await reopen()
    if authenticator.rates is not None:
        authenticator.rates.take(authenticator.payer(given))
    who = (authenticator, given, traces)
    return Operation(
        service=parts, access=access, reopen=reopen, who=who, streams=authenticator.streams
    )
