"""Vectors as parameters and properties."""

import sys
from array import array
from collections.abc import Sequence

import numpy as np
from neo4j.vector import Vector

_HALF = np.dtype("<f2")


def sent(vector: Sequence[float]) -> Vector:
    """The vector as the driver sends it at least cost: as float32 in one piece and in the order of
    bytes that goes over the wire, not as a list of numbers."""
    numbers = array("f", vector)
    if sys.byteorder == "little":
        numbers.byteswap()
    return Vector(numbers.tobytes(), "f32")


def properties(vector: Sequence[float] | None) -> dict[str, object]:
    """A note's vector as properties: `embedding`, which the index reads, and `embeddingBytes`, the
    same in half precision. Neo4j reads a list number by number, which takes eight times as long;
    the cosines of the bytes differ from those of the list by at most 0.001."""
    if vector is None:
        return {"embedding": None, "embeddingBytes": None}
    return {
        "embedding": sent(vector),
        "embeddingBytes": np.asarray(vector, dtype=_HALF).tobytes(),
    }


def cosines(stored: Sequence[bytes | Sequence[float]], vector: Sequence[float]) -> list[float]:
    """The cosine with `vector` of each stored vector, given as its bytes or as its list."""
    if not stored:
        return []
    rows = [
        np.frombuffer(each, dtype=_HALF) if isinstance(each, bytes | bytearray) else each
        for each in stored
    ]
    matrix = np.asarray(rows, dtype=np.float32)
    asked = np.asarray(vector, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(asked)
    return (matrix @ asked / np.where(lengths > 0, lengths, 1.0)).tolist()
