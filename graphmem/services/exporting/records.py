"""Rows of the graph as lines of the portable format."""

import json
from array import array
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from graphmem.domain.owners import Owner
from graphmem.domain.portable import FIELDS, SHOWN, Record, Shape, Shapes

Line = dict[str, Any]


def line_of(record: Record, row: Mapping[str, Any], user: str) -> Line:
    """Return a row as a line, with the fields of the format that the row has a value for."""
    return {"record": record, **_select_fields(row, FIELDS[record], user)}


def note_line(row: Mapping[str, Any], user: str, *, whole: bool) -> Line:
    """Return a note as a line; `whole`: with what is stored only for the user in person."""
    given = {**row, "curated": bool(row.get("curatedKey")) or None, "skill": row["skill"] or None}
    if vector := row.get("vector"):
        given["embedding"] = b64encode(array("f", vector).tobytes()).decode()
    shapes = FIELDS[Record.NOTE] if whole else {**SHOWN, **_WITH_VECTOR}
    return {"record": Record.NOTE, **_select_fields(given, shapes, user)}


_WITH_VECTOR = {"embedding": Shape.TEXT}


def _select_fields(row: Mapping[str, Any], shapes: Shapes, user: str) -> Line:
    found = {}
    for name, shape in shapes.items():
        value = row.get(name)
        if isinstance(shape, Mapping):
            value = [_select_fields(each, shape, user) for each in value or ()] or None
        elif value is not None:
            value = _format_value(value, shape, user)
        if value is not None:
            found[name] = value
    return found


def _format_value(value: Any, shape: Shape, user: str) -> Any:
    match shape:
        case Shape.TIME:
            return _format_time(value)
        case Shape.TIMES:
            return [_format_time(each) for each in value]
        case Shape.JSON:
            return json.loads(value)
        case Shape.READERS:
            return _strip_owner(value, user)
        case Shape.SOME_READERS:
            return [_strip_owner(each, user) for each in value]
        case _:
            return value


def _format_time(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _strip_owner(key: str, user: str) -> str:
    """Return an audience of the user without its owner, who is named in the header."""
    return key.removeprefix(Owner(user).key).removeprefix("/")
