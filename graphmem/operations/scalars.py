"""Values that JSON has no type for: instants, whole numbers of 53 bits, JSON itself."""

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from graphmem.errors import Invalid

MAX_DEPTH: Final = 50
MAX_LONG: Final = 2**53 - 1


def format_instant(value: datetime) -> str:
    """Format an instant as ISO-8601 in UTC with a Z; milliseconds only when there are some."""
    text = value.astimezone(UTC).isoformat(
        timespec="milliseconds" if value.microsecond else "seconds"
    )
    return text.replace("+00:00", "Z")


def parse_instant(value: object) -> datetime:
    """Parse an aware instant; a text without an offset is taken as UTC. Raises Invalid."""
    if isinstance(value, datetime):
        parsed = value
    else:
        try:
            parsed = datetime.fromisoformat(value if isinstance(value, str) else "")
        except ValueError:
            raise Invalid(
                "DateTime must be an ISO-8601 text such as 2026-03-01T10:00:00Z"
            ) from None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def parse_long(value: object) -> int:
    """Parse a whole number that a JSON number holds exactly; 5.0 is one too, as for Int. Raises
    Invalid."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_LONG:
        raise Invalid("Long must be a whole number below 2^53")
    return value


def parse_json(value: Any) -> Any:
    """Return JSON unchanged. Raises Invalid for NaN, infinities and absurd nesting."""
    _check(value, 0)
    return value


def _check(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Invalid(f"JSON is nested more than {MAX_DEPTH} deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid("JSON has no such number")
    children: Iterable[Any] = ()
    if isinstance(value, dict):
        children = value.values()
    elif isinstance(value, list):
        children = value
    for child in children:
        _check(child, depth + 1)
