"""Makes requests from values by the names of requests, as JSON gives them."""

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Final, TypeVar

from graphmem.domain.fields import Field, Special, fields_of
from graphmem.errors import Invalid
from graphmem.operations.scalars import parse_instant, parse_json, parse_long

T = TypeVar("T")
MAX_INT: Final = 2**31 - 1  # of a whole number in GraphQL, so everywhere
PLAIN: Final = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def parse(kind: type[T], given: Mapping[str, Any]) -> T:
    """Build a command or input. What has a default may be left out or null.

    Raises Invalid, which names the field."""
    values = {}
    for field in fields_of(kind):
        value = given.get(field.wire)
        if value is not None:
            values[field.name] = _parse(field, value)
        elif field.required:
            raise Invalid(f"{field.wire} is missing")
    if unknown := given.keys() - names_of(kind):
        raise Invalid(f"there is no {', '.join(sorted(map(str, unknown)))}")
    return kind(**values)


@cache
def names_of(kind: type) -> frozenset[str]:
    """Return the names of the fields that a request may have."""
    return frozenset(field.wire for field in fields_of(kind))


def _parse(field: Field, value: object) -> Any:
    if not field.many:
        return _parse_one(field, value)
    if not isinstance(value, list | tuple):
        raise Invalid(f"{field.wire} must be a list")
    return tuple(_parse_one(field, each) for each in value)


def _parse_one(field: Field, value: object) -> Any:
    kind = field.type
    if Special.LONG in field.marks:
        return parse_long(value)
    if kind is object:
        return parse_json(value)
    if kind is datetime:
        return parse_instant(value)
    if kind in PLAIN:
        return _parse_plain(kind, value, field.wire)
    if issubclass(kind, Enum):
        return _parse_member(kind, value, field.wire)
    if not isinstance(value, Mapping):
        raise Invalid(f"{field.wire} must be an object")
    return parse(kind, value)


def _parse_plain(kind: Any, value: object, wire: str) -> Any:
    if type(value) is kind and (type(value) is not int or abs(value) <= MAX_INT):
        return value
    if isinstance(value, str) and kind is str:
        return value
    if not isinstance(value, bool):
        if kind is float and isinstance(value, int):
            return float(value)
        if kind is int and isinstance(value, float) and value.is_integer():
            return _parse_plain(int, int(value), wire)
    raise Invalid(f"{wire} must be {PLAIN[kind]}")


def _parse_member(kind: type[Enum], value: object, wire: str) -> Enum:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(str(each.value) for each in kind)
        raise Invalid(f"{wire} must be one of {known}") from None
