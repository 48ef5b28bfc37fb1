"""Makes GraphQL object types of plain answers, with their fields, types and descriptions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

import strawberry
from strawberry.types.field import StrawberryField

from graphmem.api import (
    enums as enums,
)  # imported first, so that they get their names before they are used
from graphmem.api.context import Info, Operation
from graphmem.api.scalars import JSON
from graphmem.domain.fields import answer_fields
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
        words = docstrings(answer)
        own: dict[str, Any] = vars(cls).get("__annotations__", {})
        fields = answer_fields(answer)
        names = {field.attribute for field in fields}
        found = {name: kind for name, kind in own.items() if name not in names}
        for field in fields:
            name = field.attribute
            if name in own:
                found[name] = own[name]
            if name in leave or name in vars(cls):
                continue
            found[name] = graphql_type(field.type, field.name, given.get(name), answer)
            setattr(cls, name, strawberry.field(name=field.wire, description=words.get(name)))
        for field in vars(cls).values():
            if isinstance(field, StrawberryField) and field.base_resolver is not None:
                field.description = sentence_of(field.base_resolver.wrapped_func)
        cls.__annotations__ = found
        return strawberry.type(cls, description=sentence_of(cls))

    return decorate


def computed_fields(state: Callable[[Any, Operation], Any]) -> Callable[[type[T]], type[T]]:
    """Return a decorator that adds fields which are worked out when they are asked for.

    `state`: the class that works them out, made of the answer and the operation.
    """
    assert isinstance(state, type)

    def decorate(cls: type[T]) -> type[T]:
        words = docstrings(state)
        for field in answer_fields(state):
            kind = graphql_type(field.type, field.name, None, state)
            resolve = _resolver_of(field.attribute, kind, state)
            resolve.__doc__ = words[field.attribute]
            setattr(cls, field.attribute, strawberry.field(resolver=resolve))
        return cls

    return decorate


def _resolver_of(
    name: str, kind: Any, state: Callable[[Any, Operation], Any]
) -> Callable[..., Any]:
    def resolve(root: Any, info: Info) -> Any:
        return getattr(state(root, info.context), name)

    resolve.__annotations__["return"] = kind
    return resolve


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
