"""Vectors as parameters of queries."""

import sys
from array import array
from collections.abc import Sequence

from neo4j.vector import Vector


def to_vector(vector: Sequence[float]) -> Vector:
    """Return the vector in the form that costs the driver least to send: as float32 in one piece
    and in network byte order, not as a list of numbers."""
    numbers = array("f", vector)
    if sys.byteorder == "little":
        numbers.byteswap()
    return Vector(numbers.tobytes(), "f32")
