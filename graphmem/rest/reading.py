"""Reads requests: path, query, headers and body become the fields of a command."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from typing import Any, Final

from starlette.requests import Request

from graphmem.domain.fields import Field, fields_of
from graphmem.errors import Invalid
from graphmem.rest.endpoints import AFTER, Endpoint

WHOLE: Final = re.compile(r"-?[0-9]{1,17}")
VERSION: Final = re.compile(r'"([0-9]{1,9})"')
WORDS: Final = {"true": True, "false": False}
IDEMPOTENCY_KEY: Final = "idempotency-key"
IF_MATCH: Final = "if-match"
READING: Final = ("GET", "HEAD")
LAST_EVENT_ID: Final = "last-event-id"


def given_of(endpoint: Endpoint, request: Request, body: bytes) -> dict[str, Any]:
    """Return the fields of a command, by their names in requests. Raises Invalid."""
    if endpoint.has_body:
        if request.query_params:
            raise Invalid("there is no query here: everything is in the body")
        given = read_body(body)
    else:
        given = read_query(endpoint, request.query_params.multi_items())
    hidden = (*endpoint.in_path, *endpoint.without)
    if unknown := sorted(given.keys() & set(hidden)):
        raise Invalid(f"there is no {', '.join(unknown)}")
    given |= {name: request.path_params[name] for name in endpoint.in_path}
    if endpoint.matches_version:
        _set_expected_version(given, request.headers.get(IF_MATCH))
    elif request.headers.get(IF_MATCH, "*").strip() != "*" and request.method not in READING:
        raise Invalid("If-Match can't be kept for this operation")
    if endpoint.resumes and (last := request.headers.get(LAST_EVENT_ID)):
        given[AFTER] = (
            int(last) if WHOLE.fullmatch(last) else last
        )  # EventSource repeats its first request
    _set_idempotency_key(endpoint, given, request.headers.get(IDEMPOTENCY_KEY))
    return given


def read_body(body: bytes) -> dict[str, Any]:
    """Parse a JSON object; an empty body is an empty object. Raises Invalid."""
    if not body:
        return {}
    try:
        text = body.decode()
        read = json.loads(text, parse_constant=_refuse_constant, parse_float=_parse_finite)
        if "\\u" in text:  # a lone surrogate is not text
            json.dumps(read, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Invalid("the body is not JSON in UTF-8") from None
    if not isinstance(read, dict):
        raise Invalid("the body must be a JSON object")
    return read


def read_query(endpoint: Endpoint, items: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the fields in a query: a list is a name that is given more than once, and the fields
    of an object within are given by their own names. Raises Invalid."""
    given: dict[str, Any] = {}
    within = places_of(endpoint.command)
    for name, text in items:
        if name not in within:
            raise Invalid(f"there is no {name}")
        field, inside = within[name]
        place = given.setdefault(inside, {}) if inside else given
        if field.many:
            place.setdefault(name, []).append(_parse_value(field, text))
        elif name in place:
            raise Invalid(f"{name} is given twice")
        else:
            place[name] = _parse_value(field, text)
    return given


def places_of(command: type) -> Mapping[str, tuple[Field, str | None]]:
    """Return the names that a query may have: the field of each, and the object that it is in."""
    places: dict[str, tuple[Field, str | None]] = {}
    for field in fields_of(command):
        if is_dataclass(field.type):
            places |= {each.wire: (each, field.wire) for each in fields_of(field.type)}
        else:
            places[field.wire] = (field, None)
    return places


def _parse_value(field: Field, text: str) -> Any:
    """Convert a text to the type of its field. A text that can't be converted is returned as it is;
    the command then reports what it must be."""
    if field.type is int:
        return int(text) if WHOLE.fullmatch(text) else text
    if field.type is float:
        try:
            number = float(text)
        except ValueError:
            return text
        return number if math.isfinite(number) else text
    return WORDS.get(text, text) if field.type is bool else text


def _set_expected_version(given: dict[str, Any], tag: str | None) -> None:
    if tag is None or tag.strip() == "*":
        return
    found = VERSION.fullmatch(tag.strip())
    if found is None:
        raise Invalid('If-Match must be one version, such as "3"')
    version = int(found[1])
    if given.setdefault("expectedVersion", version) != version:
        raise Invalid("If-Match and expectedVersion differ")


def _set_idempotency_key(endpoint: Endpoint, given: dict[str, Any], key: str | None) -> None:
    """Put an `Idempotency-Key` into the field that it stands for; of many notes each gets its
    own."""
    if key is None:
        return
    if endpoint.keyed is None:
        raise Invalid("an Idempotency-Key can't be kept for this operation")
    notes = given.get("notes")
    if endpoint.keyed == "idempotencyKey":
        if given.setdefault("idempotencyKey", key) != key:
            raise Invalid("Idempotency-Key and idempotencyKey differ")
    elif isinstance(notes, list):
        for i, note in enumerate(notes):
            if isinstance(note, dict):
                note.setdefault("idempotencyKey", f"{key}/{i}")


def _parse_finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _refuse_constant(name: str) -> object:
    raise ValueError(name)
