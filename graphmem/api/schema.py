"""The GraphQL schema."""

from strawberry.schema.config import StrawberryConfig

from graphmem.api.execution import Schema
from graphmem.api.mutations import Mutation
from graphmem.api.queries import Query
from graphmem.api.scalars import SCALARS
from graphmem.api.subscriptions import Subscription
from graphmem.operations.limits import OPERATION_S


def create_schema(operation_timeout_s: float = OPERATION_S) -> Schema:
    """Return the schema; an operation that takes longer than the timeout ends with
    OPERATION_TIMEOUT."""
    return Schema(
        Query,
        Mutation,
        Subscription,
        config=StrawberryConfig(scalar_map=SCALARS),
        operation_timeout_s=operation_timeout_s,
    )


def sdl() -> str:
    """Return the schema in the schema definition language, as committed in
    schema/schema.graphql."""
    return create_schema().as_str() + "\n"
