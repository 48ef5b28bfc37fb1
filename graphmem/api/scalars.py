"""The scalars of the API: DateTime, JSON and Long."""

import json
import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NewType

import strawberry
from graphql import GraphQLError

MAX_DEPTH = 50
MAX_LONG = 2**53 - 1


def format_instant(value: datetime) -> str:
    """ISO-8601 in UTC with a Z; milliseconds only when there are some."""
    text = value.astimezone(UTC).isoformat(
        timespec="milliseconds" if value.microsecond else "seconds"
    )
    return text.replace("+00:00", "Z")


def parse_instant(value: object) -> datetime:
    """An aware instant; a text without an offset is taken as UTC."""
    if not isinstance(value, str):
        raise GraphQLError("DateTime must be an ISO-8601 text such as 2026-03-01T10:00:00Z")
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        raise GraphQLError(
            "DateTime must be an ISO-8601 text such as 2026-03-01T10:00:00Z"
        ) from None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def parse_json(value: Any) -> Any:
    """JSON as it came; NaN, infinities and absurd nesting are refused."""
    _check(value, 0)
    return value


def _check(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise GraphQLError(f"JSON is nested more than {MAX_DEPTH} deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise GraphQLError("JSON has no such number")
    children: Iterable[Any] = ()
    if isinstance(value, dict):
        children = value.values()
    elif isinstance(value, list):
        children = value
    for child in children:
        _check(child, depth + 1)


def dump_json(value: Any) -> Any:
    """JSON as it was stored."""
    return json.loads(json.dumps(value))


def parse_long(value: object) -> int:
    """A whole number that a JSON number holds exactly; 5.0 is one too, as for Int."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_LONG:
        raise GraphQLError(
            "Long must be a whole number below 2^53", extensions={"code": "BAD_USER_INPUT"}
        )
    return value


JSON = NewType("JSON", object)
Long = NewType("Long", int)
SCALARS: dict[object, Any] = {
    datetime: strawberry.scalar(
        name="DateTime",
        description='ISO-8601, always UTC ("2026-03-01T10:00:00Z")',
        serialize=format_instant,
        parse_value=parse_instant,
    ),
    JSON: strawberry.scalar(
        name="JSON", description="Any JSON value", serialize=dump_json, parse_value=parse_json
    ),
    Long: strawberry.scalar(
        name="Long",
        description="A whole number below 2^53, as a JSON number",
        serialize=parse_long,
        parse_value=parse_long,
    ),
}
