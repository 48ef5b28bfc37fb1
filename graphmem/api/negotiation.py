"""Chooses the media type of an answer from the Accept header (RFC 9110, 12.5.1)."""

from email.message import Message

JSON = "application/json"
RESPONSE = "application/graphql-response+json"
EVENTS = "text/event-stream"
HTML = "text/html"


def best_type(accept: str | None) -> str | None:
    """Return the best of our types for an Accept header, or None if none is acceptable.

    No header, `*/*` and `application/*` mean plain JSON, as clients before 2025 expect. Among types
    of the same weight the new one wins over plain JSON, and JSON over a stream of events."""
    ranges = [media_type(part) for part in (accept or "*/*").split(",") if part.strip()]
    weights = {kind: _weight(kind, ranges) for kind in (JSON, RESPONSE, EVENTS)}
    named = {kind for kind, _ in ranges}
    order = [RESPONSE, JSON, EVENTS] if RESPONSE in named else [JSON, RESPONSE, EVENTS]
    best = max(order, key=lambda kind: weights[kind])
    return best if weights[best] > 0 else None


def names(kind: str, accept: str | None) -> bool:
    """Return True if an Accept header asks for a media type by its own name."""
    ranges = [media_type(part) for part in (accept or "").split(",") if part.strip()]
    return any(name == kind and _quality(parameters) > 0 for name, parameters in ranges)


def media_type(header: str) -> tuple[str, dict[str, str]]:
    """Split a media type from its parameters; names in lower case, ("", {}) for an empty one."""
    message = Message()
    message["content-type"] = header
    (kind, _), *parameters = message.get_params(failobj=[("", "")])
    return kind.strip().lower(), {name.lower(): value for name, value in parameters}


def _weight(kind: str, ranges: list[tuple[str, dict[str, str]]]) -> float:
    """Return the weight that the most specific fitting range gives to a type; 0: not wanted."""
    for pattern in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        found = [_quality(parameters) for name, parameters in ranges if name == pattern]
        if found:
            return max(found)
    return 0.0


def _quality(parameters: dict[str, str]) -> float:
    try:
        quality = float(parameters.get("q", "1"))
    except ValueError:
        return 0.0
    return min(max(quality, 0.0), 1.0)
