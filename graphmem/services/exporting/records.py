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
    """A row as a line, with the fields that the format has and that the row has a value for."""
    return {"record": record, **_shaped(row, FIELDS[record], user)}


def note_line(row: Mapping[str, Any], user: str, *, whole: bool) -> Line:
    """A note as a line; `whole`: with what is kept of it for the user in person alone."""
    given = {**row, "curated": bool(row.get("curatedKey")) or None, "skill": row["skill"] or None}
    if vector := row.get("embedding"):
        given["embedding"] = b64encode(array("f", vector).tobytes()).decode()
    shapes = FIELDS[Record.NOTE] if whole else {**SHOWN, **_WITH_VECTOR}
    return {"record": Record.NOTE, **_shaped(given, shapes, user)}


_WITH_VECTOR = {"embedding": Shape.TEXT}


def _shaped(row: Mapping[str, Any], shapes: Shapes, user: str) -> Line:
    found = {}
    for name, shape in shapes.items():
        value = row.get(name)
        if isinstance(shape, Mapping):
            value = [_shaped(each, shape, user) for each in value or ()] or None
        elif value is not None:
            value = _value(value, shape, user)
        if value is not None:
            found[name] = value
    return found


def _value(value: Any, shape: Shape, user: str) -> Any:
    match shape:
        case Shape.TIME:
            return _time(value)
        case Shape.TIMES:
            return [_time(each) for each in value]
        case Shape.JSON:
            return json.loads(value)
        case Shape.READERS:
            return _readers(value, user)
        case Shape.SOME_READERS:
            return [_readers(each, user) for each in value]
        case _:
            return value


def _time(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _readers(key: str, user: str) -> str:
    """An audience of the user without its owner, who is told by the header."""
    return key.removeprefix(Owner(user).key).removeprefix("/")
