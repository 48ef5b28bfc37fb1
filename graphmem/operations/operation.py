"""One operation: the service's parts and who asks, for as long as it runs."""

from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial

from graphmem.domain.visibility import Audience
from graphmem.errors import GraphmemError
from graphmem.operations.authentication import Authenticator, Credentials
from graphmem.operations.shares import Share, Shares
from graphmem.services.context import Access, Context
from graphmem.services.meter import REFUSALS

Service = Context  # the parts of a running service, which protocols pass on unopened


@dataclass(kw_only=True)
class Operation:
    """The resources that a command runs with."""

    service: Service
    access: Access
    reopen: Callable[[], Awaitable[Access]]
    who: Hashable = None  # equal for all operations whose `reopen` does the same
    ends: float | None = None  # by when work should be done, in the time of the event loop
    streams: Shares = field(default_factory=Shares)

    async def refresh(self) -> None:
        """Open the access again, after a change."""
        self.access = await self.reopen()

    async def check_access(self) -> None:
        """Check that the caller may still ask, once for all who check at the same moment. Raises
        what `reopen` does."""
        if self.who is None:
            await self.reopen()
        else:
            await self.service.bus.reads.get(("who", self.who), self.reopen)

    def take_stream(self) -> Share:
        """Reserve a place for an answer that continues. Raises RateLimited."""
        return self.streams.take(self.access.viewer.user)

    def add_written_audiences(self, audiences: Iterable[Audience]) -> None:
        """Update the access after notes of these audiences were written, without opening it again:
        nothing else of it has changed."""
        self.access = self.access.with_audiences(audiences)


async def open_operation(
    service: Service,
    authenticator: Authenticator,
    given: Credentials,
    *,
    traces: bool = True,
    used: bool = False,
) -> Operation:
    """Open an operation of the caller; without `traces` it may write nothing, and logs no recall,
    unless its recalls are `used`: then those count as any other.

    Raises Unauthenticated, Invalid, RateLimited."""
    service.callers.came()
    parts = service if traces else service.without_traces(used=used)
    reopen = partial(authenticator.open, parts, given, traces=traces)
    try:
        access = await reopen()
        if authenticator.rates is not None:
            authenticator.rates.take(authenticator.payer(given))
    except GraphmemError as error:
        service.meter.count(REFUSALS, error.code)
        raise
    who = (authenticator, given, traces)
    return Operation(
        service=parts, access=access, reopen=reopen, who=who, streams=authenticator.streams
    )
