"""The context of resolvers: an operation, with loaders that live as long as it does."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

import strawberry
from starlette.requests import HTTPConnection

from graphmem.domain.visibility import Audience
from graphmem.operations import operation
from graphmem.operations.authentication import (
    ADMITTED,
    Authenticator,
    Credentials,
    admit,
    of_a_program,
)

if TYPE_CHECKING:
    from strawberry.types import Info as StrawberryInfo


@dataclass(kw_only=True)
class Operation(operation.Operation):
    """The context of one operation."""

    loaders: dict[str, Any] = field(default_factory=dict)

    @property
    def user(self) -> str:
        """The viewer who asks."""
        return self.access.viewer.user

    def fork(self) -> Self:
        """Return a context for one more operation: same viewer, fresh loaders."""
        return replace(self, loaders={})

    async def refresh(self) -> None:
        """Open the access again and drop what was loaded, after a change."""
        await super().refresh()
        self.loaders.clear()

    def wrote(self, audiences: Iterable[Audience]) -> None:
        """Take in the audiences of written notes and drop what was loaded."""
        super().add_written_audiences(audiences)
        self.loaders.clear()


if TYPE_CHECKING:
    Info = StrawberryInfo[Operation, None]
else:
    Info = strawberry.Info[Operation, None]


def open_operation_for(
    get_service: Callable[[], operation.Service], authenticator: Authenticator
) -> Callable[[HTTPConnection, Mapping[str, object] | None], Awaitable[Operation]]:
    """Return the function that opens the operation of a request; a browser's WebSocket gives
    connection parameters instead of headers."""

    async def open_operation(
        connection: HTTPConnection, params: Mapping[str, object] | None
    ) -> Operation:
        if connection.scope["type"] == "http":
            await admit(connection.scope, get_service, authenticator)
        by_get = connection.scope["type"] == "http" and connection.scope["method"] == "GET"
        named = {str(key).lower(): value for key, value in (params or {}).items()}
        opened = await operation.open_operation(
            get_service(),
            authenticator,
            Credentials.of(named, connection.headers, admitted=connection.scope.get(ADMITTED)),
            traces=not by_get,
            used=by_get and of_a_program(connection.headers),
        )
        given = {each.name: getattr(opened, each.name) for each in fields(opened)}
        return Operation(**given)

    return open_operation
