"""Answers as JSON."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from graphmem.operations.fields import camel
from graphmem.operations.scalars import format_instant

HIDDEN: Final = MappingProxyType({"hidden": True})  # the metadata of a field that answers leave out


def to_json(answer: Any) -> Any:
    """Return an answer as values of JSON, names in camelCase as in GraphQL, instants as texts."""
    match answer:
        case Enum():
            return answer.value
        case None | bool() | int() | float() | str():
            return answer
        case datetime():
            return format_instant(answer)
        case Mapping():
            return {str(name): to_json(value) for name, value in answer.items()}
        case list() | tuple():
            return [to_json(each) for each in answer]
    return {wire: to_json(getattr(answer, name)) for name, wire in _wire_names(type(answer))}


@cache
def _wire_names(kind: type) -> tuple[tuple[str, str], ...]:
    names = [field.name for field in dataclasses.fields(kind) if "hidden" not in field.metadata]
    return tuple((name, camel(name)) for name in names)
