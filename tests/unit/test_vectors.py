"""Vectors as properties: the list that the index reads and the bytes that a recall reads."""

import math
import random

import pytest

from graphmem.store.vectors import cosines, properties


def unit(draw: random.Random, size: int = 384) -> list[float]:
    numbers = [draw.gauss(0, 1) for _ in range(size)]
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


def test_the_bytes_tell_the_cosines_of_the_list() -> None:
    draw = random.Random(5)
    asked, rows = unit(draw), [unit(draw) for _ in range(50)]
    exact = [sum(a * b for a, b in zip(asked, row, strict=True)) for row in rows]
    stored = [properties(row)["embeddingBytes"] for row in rows]
    assert all(isinstance(each, bytes) and len(each) == 2 * 384 for each in stored)
    assert cosines(stored, asked) == pytest.approx(exact, abs=1e-3)  # type: ignore[arg-type]
    assert cosines(rows, asked) == pytest.approx(exact, abs=1e-6)
    # A graph may hold notes with bytes beside older ones without.
    mixed = cosines([rows[0], stored[1], bytearray(stored[2])], asked)  # type: ignore[list-item,arg-type]
    assert mixed == pytest.approx(exact[:3], abs=1e-3)


def test_no_length_and_no_vector_have_no_cosine() -> None:
    assert cosines([[0.0, 0.0], [2.0, 0.0]], [1.0, 0.0]) == [0.0, 1.0]
    assert cosines([], [1.0, 0.0]) == []
    assert properties(None) == {"embedding": None, "embeddingBytes": None}
