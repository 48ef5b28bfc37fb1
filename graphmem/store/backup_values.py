"""Values of properties as JSON and back, each with its type: a time with its zone, a point, bytes,
a vector of 32-bit numbers. A property is never a mapping, so a mapping stands for such a value."""

import base64
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import isfinite
from types import MappingProxyType
from typing import Any, Final

import pytz
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
VECTOR: Final = "f32"  # the mark of a list that the store holds as numbers of 32 bits
LEAST: Final = 8  # numbers in a list that is written as a vector
_PLAIN: Final = (str, int, float, bool)


def encode(value: Any) -> Any:
    """Return a value of a property as JSON has it. Raises TypeError for an unknown type."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list):
        return _encode_list(value)
    return _encode_other(value)


def encode_instant(seconds: int, nanoseconds: int) -> Any:
    """Return what `encode` gives for an instant in UTC, given as seconds since 1970 and
    nanoseconds."""
    at = EPOCH + timedelta(seconds=seconds)
    date, time = (at.year, at.month, at.day), (at.hour, at.minute, at.second)
    return {"datetime": [*date, *time, nanoseconds, 0]}


def _encode_list(values: list[Any]) -> Any:
    if len(values) >= LEAST and all(type(each) is float for each in values):
        packed = _as_32_bits(values)
        if packed is not None:
            return {VECTOR: base64.b64encode(packed).decode("ascii")}
    return [each if isinstance(each, _PLAIN) else _encode_other(each) for each in values]


def _as_32_bits(values: Sequence[float]) -> bytes | None:
    """Return the numbers in 32 bits each, None where some need more or are no numbers."""
    form = f"<{len(values)}f"
    try:
        packed = struct.pack(form, *values)
    except OverflowError:
        return None
    back = struct.unpack(form, packed)
    return packed if back == tuple(values) and all(map(isfinite, values)) else None


def _encode_other(value: Any) -> dict[str, Any]:
    match value:
        case DateTime():
            date, time = value.year_month_day, value.hour_minute_second_nanosecond
            return {"datetime": [*date, *time, _zone_of(value)]}
        case Time():
            return {"time": [*value.hour_minute_second_nanosecond, _zone_of(value)]}
        case Date():
            return {"date": list(value.year_month_day)}
        case Duration():
            return {"duration": [value.months, value.days, value.seconds, value.nanoseconds]}
        case Point():
            return {"point": [value.srid, *value]}
        case bytes() | bytearray():
            return {"bytes": base64.b64encode(bytes(value)).decode("ascii")}
        case Vector():
            raw = base64.b64encode(value.raw()).decode("ascii")
            return {"vector": [value.dtype, raw]}
        case _:
            raise TypeError(f"a property of the type {type(value).__name__}")


def _zone_of(value: DateTime | Time) -> int | list[Any] | None:
    """Return the offset of a zone in seconds, with its name if it has one; None for a local
    time."""
    zone: Any = value.tzinfo
    if zone is None:
        return None
    offset = value.utc_offset() if isinstance(value, Time) else value.utcoffset()
    seconds = 0 if offset is None else int(offset.total_seconds())
    name = getattr(zone, "zone", None)
    return seconds if name is None or zone is pytz.UTC else [str(name), seconds]


def decode(value: Any) -> Any:
    """Return the value of a property that `encode` wrote. Raises ValueError for anything else."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list):
        return [decode(each) for each in value]
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError("no value of a property")
    [(kind, given)] = value.items()
    try:
        return _DECODERS[kind](given)
    except (KeyError, TypeError, IndexError, ValueError, struct.error) as exc:
        raise ValueError("no value of a property") from exc


def is_vector(value: Any) -> bool:
    """Return True for what `encode` wrote of a list that the store holds as numbers of 32 bits."""
    return isinstance(value, dict) and VECTOR in value


def _to_zone(seconds: int | None) -> tzinfo | None:
    return None if seconds is None else timezone(timedelta(seconds=seconds))


def _to_datetime(given: Sequence[Any]) -> DateTime:
    *numbers, zone = given
    if isinstance(zone, list):
        name, seconds = zone
        # By way of the offset, since an hour of the night comes twice when summer time ends.
        return DateTime(*numbers, tzinfo=_to_zone(seconds)).astimezone(pytz.timezone(name))
    return DateTime(*numbers, tzinfo=_to_zone(zone))


def _to_time(given: Sequence[Any]) -> Time:
    *numbers, zone = given
    # The driver asks such a zone for its offset with a time alone, which only those of pytz take.
    return Time(*numbers, tzinfo=None if zone is None else pytz.FixedOffset(zone // 60))


def to_vector(value: Any) -> Vector:
    """Return such a list in the form in which a store takes numbers of 32 bits. Raises
    ValueError."""
    return Vector(decode(value), "f32")


def _to_list(given: str) -> list[float]:
    raw = base64.b64decode(given, validate=True)
    return list(struct.unpack(f"<{len(raw) // 4}f", raw))


def _to_point(given: Sequence[Any]) -> Point:
    point = Point(given[1:])
    point.srid = given[0]
    return point


_DECODERS: Final[Mapping[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "datetime": _to_datetime,
        "time": _to_time,
        "date": lambda given: Date(*given),
        "duration": lambda given: Duration(
            months=given[0], days=given[1], seconds=given[2], nanoseconds=given[3]
        ),
        "point": _to_point,
        "bytes": lambda given: base64.b64decode(given, validate=True),
        "vector": lambda given: Vector(base64.b64decode(given[1], validate=True), given[0]),
        VECTOR: _to_list,
    }
)
