"""Makes GraphQL object types of plain answers, with their fields, types and descriptions."""

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import strawberry
from strawberry.types.field import StrawberryField

from graphmem.api import (
    enums as enums,
)  # imported first, so that they get their names before they are used
from graphmem.api.scalars import JSON
from graphmem.operations.docstrings import docstrings, sentence_of

T = TypeVar("T")
PLAIN: Final = (str, int, float, bool, datetime)


def object_type(answer: type, name: str | None = None, **given: Any) -> Any:
    """Return the object type of a plain answer, which has all its fields.

    `given`: the GraphQL types of fields whose own type does not give them, such as another
    object type, or `ID` for an id of another name. Lists and null stay as the answer has them.
    Raises TypeError for a field of unknown type.
    """
    cls = type(name or answer.__name__, (), {"__module__": __name__, "__doc__": answer.__doc__})
    return fields_of_answer(answer, **given)(cls)


def fields_of_answer(
    answer: type, leave: Collection[str] = (), **given: Any
) -> Callable[[type[T]], type[T]]:
    """Return a decorator that makes a class the object type of a plain answer.

    The class holds the fields that are resolved in another way; `leave` are not shown. The rest is
    as in `object_type`.
    """

    def decorate(cls: type[T]) -> type[T]:
        hints, words = get_type_hints(answer, include_extras=True), docstrings(answer)
        own: dict[str, Any] = vars(cls).get("__annotations__", {})
        found = {name: kind for name, kind in own.items() if name not in hints}
        for field in dataclasses.fields(answer):
            if field.name in own:
                found[field.name] = own[field.name]
            if field.name in leave or field.name in vars(cls) or "hidden" in field.metadata:
                continue
            found[field.name] = graphql_type(
                hints[field.name], field.name, given.get(field.name), answer
            )
            wire = field.name.removesuffix("_") if field.name.endswith("_") else None
            setattr(cls, field.name, strawberry.field(name=wire, description=words.get(field.name)))
        for field in vars(cls).values():
            if isinstance(field, StrawberryField) and field.base_resolver is not None:
                field.description = sentence_of(field.base_resolver.wrapped_func)
        cls.__annotations__ = found
        return strawberry.type(cls, description=sentence_of(cls))

    return decorate


def graphql_type(hint: Any, name: str, given: Any, answer: type) -> Any:
    """Return the GraphQL type of a field of an answer. Raises TypeError."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return graphql_type(inner[0], name, given, answer)
    if origin in (Union, UnionType):
        [one] = (each for each in inner if each is not NoneType)
        return graphql_type(one, name, given, answer) | None
    if origin in (list, tuple, Sequence):
        return list[graphql_type(inner[0], name, given, answer)]
    if given is not None:
        return given
    if hint is object or hint is Any or (origin is not None and issubclass(origin, Mapping)):
        return JSON
    if hint is str and (name == "id" or name.endswith(("_id", "_ids"))):
        return strawberry.ID
    if hint in PLAIN or issubclass(hint, Enum):
        return hint
    raise TypeError(f"{answer.__name__}.{name} needs the object type of {hint.__name__}")
