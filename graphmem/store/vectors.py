"""Vectors as parameters of queries."""

import sys
from array import array
from collections.abc import Sequence

from neo4j.vector import Vector


def sent(vector: Sequence[float]) -> Vector:
    """The vector as the driver sends it at least cost: as float32 in one piece, not as a list of
    numbers."""
    return Vector(array("f", vector).tobytes(), "f32", byteorder=sys.byteorder)
