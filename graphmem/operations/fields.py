"""The fields of commands, as every protocol sees them.

A command is a frozen dataclass. The annotation of a field gives its type, the class its default,
and the marks here its bounds; nothing else does. A protocol makes its own description of a command
from `fields_of`, and `parse` makes a command from a request."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from graphmem.errors import Invalid
from graphmem.operations.scalars import parse_instant, parse_json, parse_long

T = TypeVar("T")
REQUIRED: Final = dataclasses.MISSING


class Special(Enum):
    """Properties of a field that its plain Python type does not show."""

    ID = "ID"
    LONG = "LONG"
    JSON = "JSON"
    NAME = "NAME"
    """of an id: it may be new, so its letters are bounded as `check_id` says"""
    DOMAIN = "DOMAIN"
    EMPTY = "EMPTY"
    """of a text that has to be given: it may be empty"""


Id = Annotated[str, Special.ID]
Name = Annotated[str, Special.ID, Special.NAME]
Domain = Annotated[str, Special.DOMAIN]
MayBeEmpty = Annotated[str, Special.EMPTY]
Long = Annotated[int, Special.LONG]
Json = Annotated[object, Special.JSON]


@dataclass(frozen=True)
class Between:
    """The bounds of a whole number, both included."""

    low: int
    high: int


@dataclass(frozen=True)
class AtMost:
    """The maximum number of entries in a list."""

    entries: int


@dataclass(frozen=True)
class Named:
    """The name of a field whose own name is a word of Python."""

    name: str


@dataclass(frozen=True)
class Field:
    """One field. `type` is str, int, float, bool, datetime, object, an Enum or a dataclass; for a
    list (`many`), that of its entries."""

    name: str
    wire: str
    """the name in a request"""
    type: Any
    many: bool
    default: Any
    """what is left out, or null, means; REQUIRED: it has to be given"""
    marks: tuple[object, ...] = ()

    @property
    def required(self) -> bool:
        """True if it has to be given."""
        return self.default is REQUIRED

    @property
    def bounds(self) -> Between | None:
        """The bounds of a number."""
        return next((mark for mark in self.marks if isinstance(mark, Between)), None)

    def read(self, value: object) -> Any:
        """Parse the value of a request. Raises Invalid."""
        if not self.many:
            return self._parse_one(value)
        if not isinstance(value, list | tuple):
            raise Invalid(f"{self.wire} must be a list")
        return tuple(self._parse_one(each) for each in value)

    def check(self, value: Any) -> None:
        """Raise Invalid when the value is out of its bounds."""
        for mark in self.marks:
            match mark:
                case Between(low, high) if value is not None and not low <= value <= high:
                    raise Invalid(f"{self.wire} must be from {low} to {high}")
                case AtMost(entries) if value is not None and len(value) > entries:
                    raise Invalid(f"a list has at most {entries} entries")
                case _:
                    pass

    def _parse_one(self, value: object) -> Any:
        kind = self.type
        if Special.LONG in self.marks:
            return parse_long(value)
        if kind is object:
            return parse_json(value)
        if kind is datetime:
            return parse_instant(value)
        if kind in PLAIN:
            return _parse_plain(kind, value, self.wire)
        if issubclass(kind, Enum):
            return _parse_member(kind, value, self.wire)
        if not isinstance(value, Mapping):
            raise Invalid(f"{self.wire} must be an object")
        return parse(kind, value)


MAX_INT: Final = 2**31 - 1  # of a whole number in GraphQL, so everywhere
PLAIN: Final = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


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


def parse(kind: type[T], given: Mapping[str, Any]) -> T:
    """Build a command or input from values by the names of requests. What has a default may be left
    out or null.

    Raises Invalid, which names the field."""
    values = {}
    for field in fields_of(kind):
        value = given.get(field.wire)
        if value is not None:
            values[field.name] = field.read(value)
        elif field.required:
            raise Invalid(f"{field.wire} is missing")
    if unknown := given.keys() - names_of(kind):
        raise Invalid(f"there is no {', '.join(sorted(map(str, unknown)))}")
    return kind(**values)


@cache
def names_of(kind: type) -> frozenset[str]:
    """Return the names of the fields that a request may have."""
    return frozenset(field.wire for field in fields_of(kind))


@cache
def bounded_fields(kind: type) -> tuple[Field, ...]:
    """Return the fields that have bounds."""
    return tuple(
        field
        for field in fields_of(kind)
        if any(isinstance(mark, Between | AtMost) for mark in field.marks)
    )


@cache
def fields_of(kind: Any) -> tuple[Field, ...]:
    """Return the fields of a command, or of an object within one."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_to_field(each, hints[each.name]) for each in dataclasses.fields(kind))


def _to_field(of: "dataclasses.Field[Any]", hint: Any) -> Field:
    kind, marks = _strip_marks(hint)
    many = get_origin(kind) is tuple
    if many:
        kind, own = _strip_marks(get_args(kind)[0])
        marks += own
    name = next((mark.name for mark in marks if isinstance(mark, Named)), camel(of.name))
    default = of.default_factory() if of.default_factory is not REQUIRED else of.default
    return Field(of.name, name, kind, many, default, marks)


def _strip_marks(hint: Any) -> tuple[Any, tuple[object, ...]]:
    """Return a type without its marks and without `| None`, and the marks."""
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        kind, own = _strip_marks(inner)
        return kind, (*marks, *own)
    if get_origin(hint) in (Union, UnionType):
        (only,) = [each for each in get_args(hint) if each is not NoneType]
        return _strip_marks(only)
    return hint, ()


def camel(name: str) -> str:
    """Convert a Python name to the form that requests and answers have."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
