"""How near new vectors are to each other, before any index has them."""

from collections.abc import Sequence

import numpy as np

_ROOM = 64  # rows at first; it doubles when they are used up


class Nearness:
    """Unit vectors under numbers, each of which can be asked for its cosine with another one."""

    def __init__(self) -> None:
        """Begin without any."""
        self._rows: np.ndarray | None = None
        self._count = 0

    def add(self, vector: Sequence[float]) -> int:
        """Take a vector; its number."""
        if self._rows is None:
            self._rows = np.zeros((_ROOM, len(vector)))
        if self._count == len(self._rows):
            self._rows = np.vstack([self._rows, np.zeros_like(self._rows)])
        self._count += 1
        self.put(self._count - 1, vector)
        return self._count - 1

    def put(self, number: int, vector: Sequence[float]) -> None:
        """Give a number another vector."""
        assert self._rows is not None  # a number comes from add
        self._rows[number] = vector

    def cosines(self, vector: Sequence[float]) -> list[float]:
        """The cosine of each vector, by number, with this one."""
        if self._rows is None:
            return []
        return (self._rows[: self._count] @ np.asarray(vector)).tolist()
