"""Checks the lines of an export that is imported.

Files are input from others, so each value has a type and a bound, and ids are mapped to ones
that belong to the importer alone."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from graphmem.domain.drafts import check_instant, check_text
from graphmem.domain.ids import digest
from graphmem.domain.notes import MAX_CONTENT, MAX_METADATA
from graphmem.domain.owners import Owner
from graphmem.domain.portable import FIELDS, Record, Shape, Shapes
from graphmem.errors import Invalid

MOST: Final = 2_000  # entries of a list
LONGEST: Final = 2 * MAX_CONTENT  # characters of a text, and of JSON within a line
MOST_READERS: Final = 20_000
MAX_WHOLE: Final = 2**53

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ImportOwnership:
    """The owner of a file (`source`), and the user who imports it."""

    source: str
    user: str

    def id(self, given: object, name: str) -> str:
        """Return the id here of an id in the file. Raises Invalid.

        It stays the same for the same user; for another one it is derived from id and user, so
        that each import of the file gives the same."""
        try:
            known = UUID(str(given))
        except ValueError as exc:
            raise Invalid(f"{name} must be an id") from exc
        if self.source == self.user:
            return str(known)
        made = digest(f"{self.user}|{known}", 20)
        return str(UUID(f"{known.hex[:12]}8{made[:3]}8{made[4:19]}"))

    def readers(self, given: object, name: str) -> str:
        """Return the audience of a path without its owner, who is the importing user."""
        path = _check_str(given, name)
        key = Owner(self.user).key
        return f"{key}/{path}" if path else key


def check_line(line: Mapping[str, Any], taking: ImportOwnership) -> Row:
    """Return the fields of a line that the format knows, each as in the graph. Raises Invalid."""
    return _check_row(line, FIELDS[Record(line["record"])], taking)


def _check_row(given: Mapping[str, Any], shapes: Shapes, taking: ImportOwnership) -> Row:
    found: Row = {}
    for name, shape in shapes.items():
        value = given.get(name)
        if value is None:
            continue
        if isinstance(shape, Mapping):
            found[name] = [
                _check_row(_check_object(each, name), shape, taking)
                for each in _check_list(value, name)
            ]
        else:
            found[name] = _check_value(value, shape, name, taking)
    return found


def _check_value(value: Any, shape: Shape, name: str, taking: ImportOwnership) -> Any:
    of_one, most = _LISTS.get(shape, (None, 0))
    if of_one is not None:
        return [_check_value(each, of_one, name, taking) for each in _check_list(value, name, most)]
    match shape:
        case Shape.ID:
            return taking.id(value, name)
        case Shape.READERS:
            return taking.readers(value, name)
        case _:
            return _CHECKS[shape](value, name)


def _check_str(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Invalid(f"{name} must be a text")
    return check_text(value, name, LONGEST, empty=True)


def _check_int(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_WHOLE:
        raise Invalid(f"{name} must be a whole number from 0 to {MAX_WHOLE}")
    return value


def _check_number(value: object, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise Invalid(f"{name} must be a number")
    return float(value)


def _check_time(value: object, name: str) -> datetime:
    try:
        found = check_instant(datetime.fromisoformat(_check_str(value, name)), name)
    except ValueError as exc:
        raise Invalid(f"{name} must be a time") from exc
    assert found is not None
    return found


def _check_flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise Invalid(f"{name} is neither true nor false")
    return value


def _check_json(value: object, name: str) -> str:
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as exc:
        raise Invalid(f"{name} can't be kept") from exc
    if len(text) > max(LONGEST, 2 * MAX_METADATA):
        raise Invalid(f"{name} is too long")
    return text


def _check_list(value: object, name: str, most: int = MOST) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise Invalid(f"{name} must be a list of at most {most}")
    return value


def _check_object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Invalid(f"{name} must be an object")
    return value


_LISTS: Final[Mapping[Shape, tuple[Shape, int]]] = {
    Shape.TEXTS: (Shape.TEXT, MOST),
    Shape.IDS: (Shape.ID, MOST),
    Shape.TIMES: (Shape.TIME, MOST),
    Shape.SOME_READERS: (Shape.READERS, MOST_READERS),
}
_CHECKS: Final[Mapping[Shape, Callable[[Any, str], Any]]] = {
    Shape.TEXT: _check_str,
    Shape.WHOLE: _check_int,
    Shape.NUMBER: _check_number,
    Shape.FLAG: _check_flag,
    Shape.TIME: _check_time,
    Shape.JSON: _check_json,
}
