"""What the fields of requests and answers say besides their type: bounds, names, who sees them.

A request is a frozen dataclass. The annotation of a field gives its type, the class its default,
and the marks here its bounds; nothing else does. An answer is a frozen dataclass too. Every
protocol makes its own description of both from `fields_of` and `answer_fields`."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from graphmem.errors import Invalid

REQUIRED: Final = dataclasses.MISSING
# the metadata of a field that no request may give, that no answer shows, and of both
NOT_ASKED: Final = MappingProxyType({"asked": False})
NOT_SHOWN: Final = MappingProxyType({"shown": False})
INTERNAL: Final = MappingProxyType({"asked": False, "shown": False})


def shown_as(name: str) -> Mapping[str, str]:
    """Return the metadata of a field that has another name in answers."""
    return MappingProxyType({"shown_as": name})


class shown_property(property):
    """A property that answers show like a field."""


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
    IMPLIED = "IMPLIED"
    """the schema of GraphQL says its default in words only"""


Id = Annotated[str, Special.ID]
Name = Annotated[str, Special.ID, Special.NAME]
Domain = Annotated[str, Special.DOMAIN]
MayBeEmpty = Annotated[str, Special.EMPTY]
Long = Annotated[int, Special.LONG]
Implied = Annotated[float, Special.IMPLIED]
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
    """One field of a request. `type` is str, int, float, bool, datetime, object, an Enum or a
    dataclass; for a list (`many`), that of its entries."""

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
    def is_object(self) -> bool:
        """True if it, or each of its entries, has fields of its own."""
        return dataclasses.is_dataclass(self.type)

    @property
    def bounds(self) -> Between | None:
        """The bounds of a number."""
        return next((mark for mark in self.marks if isinstance(mark, Between)), None)

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


@dataclass(frozen=True, kw_only=True)
class Input:
    """An input of a request. Raises Invalid when a value is out of its bounds."""

    def __post_init__(self) -> None:
        for field in bounded_fields(type(self)):
            field.check(getattr(self, field.name))


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
    """Return the fields of a request, or of an object within one."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        _to_field(each, hints[each.name])
        for each in dataclasses.fields(kind)
        if each.metadata.get("asked", True)
    )


@dataclass(frozen=True)
class AnswerField:
    """One field of an answer: its attribute, its name there in Python's form, and its type."""

    attribute: str
    name: str
    type: Any

    @property
    def wire(self) -> str:
        """The name that clients see."""
        return camel(self.name)


@cache
def answer_fields(kind: Any) -> tuple[AnswerField, ...]:
    """Return what an answer shows: its fields, then its shown properties."""
    hints = get_type_hints(kind, include_extras=True)
    found = [
        AnswerField(each.name, each.metadata.get("shown_as", each.name), hints[each.name])
        for each in dataclasses.fields(kind)
        if each.metadata.get("shown", True)
    ]
    for base in reversed(kind.__mro__):
        for name, each in vars(base).items():
            if isinstance(each, shown_property):
                hint = get_type_hints(each.fget, include_extras=True)["return"]
                found.append(AnswerField(name, name, hint))
    return tuple(found)


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


@cache
def camel(name: str) -> str:
    """Convert a Python name to the form that requests and answers have."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)
