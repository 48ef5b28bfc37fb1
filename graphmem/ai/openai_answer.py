"""Parses and checks the vectors in the answer of an embedding service."""

import math
from typing import Final

from graphmem.errors import Unavailable

_UNSOUND: Final = "The embedding service gave an answer that can't be used; try again."


def unit_vectors(answer: object, count: int) -> list[list[float]]:
    """Return `count` unit vectors of one dimension, in the order of the texts.

    Raises Unavailable for any other answer."""
    data = getattr(answer, "data", None)
    if not isinstance(data, list) or len(data) != count:
        raise Unavailable(_UNSOUND)
    vectors = [_unit(getattr(item, "embedding", None)) for item in _in_order(data)]
    if len({len(vector) for vector in vectors}) != 1:
        raise Unavailable(_UNSOUND)
    return vectors


def _in_order(data: list[object]) -> list[object]:
    """Sort by the index of each item; without indexes the order stays."""
    by_index = {getattr(item, "index", None): item for item in data}
    if set(by_index) == {None}:
        return data
    if set(by_index) != set(range(len(data))):
        raise Unavailable(_UNSOUND)
    return [by_index[index] for index in range(len(data))]


def _unit(numbers: object) -> list[float]:
    """Scale a vector to length 1; raise Unavailable if it isn't finite or has no direction."""
    if not isinstance(numbers, list) or not all(type(number) in (int, float) for number in numbers):
        raise Unavailable(_UNSOUND)
    length = math.hypot(*numbers)
    if not math.isfinite(length) or length == 0.0:
        raise Unavailable(_UNSOUND)
    return [number / length for number in numbers]
