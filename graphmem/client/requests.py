"""The requests of the client's operations, independent of how they are sent."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from graphmem.client.models import wire_name
from graphmem.client.transport import Request

KEY: Final = "Idempotency-Key"


def as_json(value: Any) -> Any:
    """Return a value as JSON: names of fields in the form of the service, instants as texts in
    UTC."""
    if isinstance(value, datetime):
        instant = value if value.tzinfo else value.astimezone()
        return instant.astimezone(UTC).isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return fields_of(asdict(value))
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(each) for each in value]
    return value


def fields_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given fields by the names of the service, including those of nested objects,
    except in `metadata`, which is yours."""
    return {
        wire_name(name): _convert_field(name, value)
        for name, value in given.items()
        if value is not None
    }


def _convert_field(name: str, value: Any) -> Any:
    if name == "metadata":
        return value
    if isinstance(value, Mapping):
        return fields_of(value)
    if isinstance(value, list | tuple):
        return [_convert_field(name, each) for each in value]
    return as_json(value)


def remember(content: str, key: str | None, given: Mapping[str, Any]) -> Request:
    """Return the request for one note; without a key of the caller it gets one, so that it can be
    sent again."""
    body = fields_of({"content": content, **given})
    headers = {KEY: key or str(uuid.uuid4())}
    return Request(method="POST", path="/v1/remember", body=body, headers=headers)


def remember_many(
    notes: Iterable[str | Mapping[str, Any]], mode: str | None, key: str | None
) -> Request:
    """Return the request for many notes: texts, or mappings with the arguments of `remember`."""
    drafts = [{"content": each} if isinstance(each, str) else dict(each) for each in notes]
    body = fields_of({"notes": drafts, "mode": mode})
    headers = {KEY: key or str(uuid.uuid4())}
    return Request(method="POST", path="/v1/remember/many", body=body, headers=headers)


def post(path: str, given: Mapping[str, Any], *, repeatable: bool = True) -> Request:
    """Return a request with a body."""
    return Request(method="POST", path=path, body=fields_of(given), repeatable=repeatable)


def get(path: str, given: Mapping[str, Any] | None = None) -> Request:
    """Return a request that changes nothing."""
    return Request(method="GET", path=path, query=fields_of(given or {}))


def note(id: str, end: str = "") -> str:
    """Return the path of a note."""
    return f"/v1/notes/{quote(id, safe='')}{end}"


def revise(id: str, version: int | None, given: Mapping[str, Any]) -> Request:
    """Return a change of a note. It is sent once: a second one would find another version."""
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    return Request(
        method="PATCH", path=note(id), body=fields_of(given), headers=headers, repeatable=False
    )


def forget(id: str, permanent: bool, reason: str | None) -> Request:
    """Return the request to forget one note; destroying it is not repeated, since the note might no
    longer be found."""
    query = {"permanent": permanent or None, "reason": reason}
    return Request(method="DELETE", path=note(id), query=query, repeatable=not permanent)


HISTORY: Final = """query History($id: ID!, $first: Int!) {
  note(id: $id) { revisions(first: $first) { version at actor content changes } }
}"""


def history(id: str, first: int) -> Request:
    """Return a GraphQL request for the versions of a note."""
    body = {"query": HISTORY, "variables": {"id": id, "first": first}}
    return Request(method="POST", path="/graphql", body=body)


def events(after: int | None, given: Mapping[str, Any]) -> Request:
    """Return the stream of events after a number."""
    headers = {"Accept": "text/event-stream"}
    query = fields_of({"after": after, **given})
    return Request(method="GET", path="/v1/events/stream", query=query, headers=headers)
