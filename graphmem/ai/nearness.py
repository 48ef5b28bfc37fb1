"""Compares new vectors with each other, before any index has them."""

from collections.abc import Sequence

import numpy as np

_ROOM = 64  # rows at first; it doubles when they are used up


class Nearness:
    """Unit vectors by number; returns their cosines with another vector."""

    def __init__(self) -> None:
        """Start without any vector."""
        self._rows: np.ndarray | None = None
        self._count = 0

    def add(self, vector: Sequence[float]) -> int:
        """Add a vector and return its number."""
        if self._rows is None:
            self._rows = np.zeros((_ROOM, len(vector)))
        if self._count == len(self._rows):
            self._rows = np.vstack([self._rows, np.zeros_like(self._rows)])
        self._count += 1
        self.put(self._count - 1, vector)
        return self._count - 1

    def put(self, number: int, vector: Sequence[float]) -> None:
        """Replace the vector of a number."""
        assert self._rows is not None  # numbers are given by add, which makes the rows
        self._rows[number] = vector

    def cosines(self, vector: Sequence[float]) -> list[float]:
        """Return the cosine of each vector with this one, by number."""
        if self._rows is None:
            return []
        return (self._rows[: self._count] @ np.asarray(vector)).tolist()
