"""Vectors as parameters of queries."""

import sys
from array import array
from collections.abc import Sequence

from neo4j.vector import Vector


def to_vector(vector: Sequence[float]) -> Vector:
    """Return the vector as the driver sends it at least cost: as float32 in one piece and in the
    order of bytes that goes over the wire, not as a list of numbers."""
    numbers = array("f", vector)
    if sys.byteorder == "little":
        numbers.byteswap()
    return Vector(numbers.tobytes(), "f32")
