"""What resolvers get: the service's parts, who asks, and loaders that live for one operation."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import strawberry
from starlette.requests import HTTPConnection

from graphmem.errors import Unauthenticated
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.keys import authenticate

if TYPE_CHECKING:
    from strawberry.types import Info as StrawberryInfo

USER_HEADER = "x-graphmem-user"
AGENT_HEADER = "x-graphmem-agent"
_BEARER = "bearer "


@dataclass(kw_only=True)
class Operation:
    """The context of one operation."""

    service: Context
    access: Access
    reopen: Callable[[], Awaitable[Access]]
    loaders: dict[str, Any] = field(default_factory=dict)
    ends: float | None = None  # by when work should be done, in the time of the event loop

    def fork(self) -> Self:
        """A context for one more operation: same viewer, fresh loaders."""
        return replace(self, loaders={})

    async def refresh(self) -> None:
        """Open the access anew and drop what was loaded, after a change."""
        self.access = await self.reopen()
        self.loaders.clear()


if TYPE_CHECKING:
    Info = StrawberryInfo[Operation, None]
else:
    Info = strawberry.Info[Operation, None]


def open_operation_for(
    get_service: Callable[[], Context], *, auth: str, default_user: str
) -> Callable[[HTTPConnection, Mapping[str, object] | None], Awaitable[Operation]]:
    """The function that finds out who asks, by headers (open) or by key (keys)."""

    async def open_operation(
        connection: HTTPConnection, params: Mapping[str, object] | None
    ) -> Operation:
        by_get = connection.scope["type"] == "http" and connection.scope["method"] == "GET"
        service = get_service().without_traces() if by_get else get_service()
        if auth == "open":
            user, agent = _named(connection, params, default_user)

            async def reopen() -> Access:
                return await open_access(
                    service, user, agent, admin=agent is None, register=not by_get, admit=by_get
                )
        else:
            secret = _secret(connection, params)

            async def reopen() -> Access:
                identity = await authenticate(service, secret)
                return await open_access(
                    service, identity.user, identity.agent, admin=identity.admin
                )

        return Operation(service=service, access=await reopen(), reopen=reopen)

    return open_operation


def _named(
    connection: HTTPConnection, params: Mapping[str, object] | None, default_user: str
) -> tuple[str, str | None]:
    """User and agent by header; a browser's WebSocket gives them as connection parameters."""
    given = {str(key).lower(): value for key, value in (params or {}).items()}

    def text(name: str) -> str | None:
        value = given.get(name, connection.headers.get(name))
        return value if isinstance(value, str) and value else None

    return text(USER_HEADER) or default_user, text(AGENT_HEADER)


def _secret(connection: HTTPConnection, params: Mapping[str, object] | None) -> str:
    given = {str(key).lower(): value for key, value in (params or {}).items()}
    value = given.get("authorization", connection.headers.get("authorization"))
    if not isinstance(value, str) or not value.lower().startswith(_BEARER):
        raise Unauthenticated
    return value[len(_BEARER) :].strip()
