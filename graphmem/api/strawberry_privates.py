"""The private names of Strawberry that graphmem uses, all of them, which is why its version is
pinned.

Nothing public offers these. A test looks for each of them in the installed Strawberry, and checks
that no other file uses one."""

from collections.abc import Mapping
from typing import Any, Final

from graphql import GraphQLSchema
from strawberry.http.base import BaseView
from strawberry.schema.schema import Schema
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
)

PRIVATE_NAMES: Final = (
    (BaseView, "_get_stream_transport_from_headers"),
    (BaseGraphQLTransportWSHandler, "_get_pre_execution_close_reason"),
    (BaseGraphQLTransportWSHandler, "_handle_pre_execution_error"),
)


def core_schema(schema: Schema) -> GraphQLSchema:
    """Return the schema as graphql-core has it."""
    return schema._schema


def stream_protocol(view: BaseView[Any], headers: Mapping[str, str]) -> Any:
    """Return the protocol by which an answer in several parts goes over HTTP, as the client asks
    for it; else `http`."""
    transport = view._get_stream_transport_from_headers(headers)
    return transport.protocol if transport else "http"


class OpenSocketHandler(BaseGraphQLTransportWSHandler[Any, None]):
    """The handler of a socket, which stays open when one operation on it does not start."""

    # None keeps it open when the text of an operation does not parse: the others continue.
    _get_pre_execution_close_reason = staticmethod(lambda error: None)

    async def _handle_pre_execution_error(self, operation: Any, result: Any) -> None:
        await super()._handle_pre_execution_error(operation, result)
        await self.handle_refusal(result.errors[0])

    async def handle_refusal(self, error: Any) -> None:
        """Handle an operation that does not start, after the client was informed of the reason."""
