"""The scalars of the API: DateTime, JSON and Long."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, NewType, TypeVar

import strawberry
from graphql import GraphQLError

from graphmem.errors import Invalid
from graphmem.operations import scalars

T = TypeVar("T")


def _with_graphql_errors(parse: Callable[[Any], T]) -> Callable[[Any], T]:
    """Return the same function with GraphQL's own error."""

    def parsed(value: Any) -> T:
        try:
            return parse(value)
        except Invalid as exc:
            raise GraphQLError(exc.message, extensions={"code": exc.code}) from None

    return parsed


def dump_json(value: Any) -> Any:
    """Return JSON as it was stored."""
    return json.loads(json.dumps(value, default=dict))


JSON = NewType("JSON", object)
Long = NewType("Long", int)
SCALARS: dict[object, Any] = {
    datetime: strawberry.scalar(
        name="DateTime",
        description='ISO-8601, always UTC ("2026-03-01T10:00:00Z")',
        serialize=scalars.format_instant,
        parse_value=_with_graphql_errors(scalars.parse_instant),
    ),
    JSON: strawberry.scalar(
        name="JSON",
        description="Any JSON value",
        serialize=dump_json,
        parse_value=_with_graphql_errors(scalars.parse_json),
    ),
    Long: strawberry.scalar(
        name="Long",
        description="A whole number below 2^53, as a JSON number",
        serialize=_with_graphql_errors(scalars.parse_long),
        parse_value=_with_graphql_errors(scalars.parse_long),
    ),
}
