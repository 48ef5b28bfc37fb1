"""The caller, and the operation that a call runs in."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from mcp.server.context import ServerRequestContext

from graphmem.operations.authentication import ActingAs, Authenticator, Credentials
from graphmem.operations.limits import time_limit
from graphmem.operations.operation import Access, Operation, Service, open_operation
from graphmem.operations.tools import Mcp

Request = ServerRequestContext


@dataclass(frozen=True, kw_only=True)
class Caller:
    """The way in which the operations of a connection are opened."""

    service: Callable[[], Awaitable[Service]]
    authenticator: Authenticator
    credentials: Callable[[Request], Credentials]
    tools: Mcp
    seconds: float
    """that an operation may take"""
    files: bool = False
    """whether files of the machine are shown"""
    unnamed: str | None = None
    """the agent that asks where neither the connection nor the call names one"""

    @asynccontextmanager
    async def operation(
        self, request: Request, agent: str | None = None, *, traces: bool = True
    ) -> AsyncIterator[Operation]:
        """Open the operation of a call, within its time; `agent` is the one that the call names.

        Raises Unauthenticated, Forbidden, Invalid, Unavailable, TimedOut."""
        given = self.credentials(request)
        authenticator = self.authenticator
        if agent is not None:
            authenticator = ActingAs(authenticator, agent)
        elif given.agent is None:
            given = replace(given, agent=self.unnamed)
        service = await self.service()
        async with time_limit(self.seconds) as ends:
            operation = await open_operation(service, authenticator, given, traces=traces)
            operation.ends = ends
            operation.access = operation.access.without_quarantine()
            operation.reopen = partial(_reopen, operation.reopen)
            yield operation


async def _reopen(reopen: Callable[[], Awaitable[Access]]) -> Access:
    return (await reopen()).without_quarantine()
