"""Answers as JSON."""

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any

from graphmem.domain.fields import answer_fields
from graphmem.domain.notes import Note
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.notes import NoteState
from graphmem.operations.scalars import format_instant


def to_json(answer: Any, operation: Operation | None = None) -> Any:
    """Return an answer as values of JSON, names in camelCase as in GraphQL, instants as texts.

    `operation`: needed where the answer has notes, for their present strength.
    """
    match answer:
        case Enum():
            return answer.value
        case None | bool() | int() | float() | str():
            return answer
        case datetime():
            return format_instant(answer)
        case Mapping():
            return {str(name): to_json(value, operation) for name, value in answer.items()}
        case list() | tuple():
            return [to_json(each, operation) for each in answer]
    fields = _wire_names(type(answer))
    shown = {wire: to_json(getattr(answer, name), operation) for name, wire in fields}
    if isinstance(answer, Note):
        assert operation is not None
        shown |= to_json(NoteState(answer, operation))
    return shown


@cache
def _wire_names(kind: type) -> tuple[tuple[str, str], ...]:
    return tuple((field.attribute, field.wire) for field in answer_fields(kind))
