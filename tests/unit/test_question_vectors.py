"""The vector of a question, and of a dialogue."""

from math import hypot

import pytest

from graphmem.ai.embedders import create_embedder
from graphmem.domain.passages import WHOLE
from graphmem.services.recall.question_vectors import question_vector


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_a_plain_question_has_the_vector_of_its_text() -> None:
    hashing = create_embedder("hash")
    asked = "Where is the kiln?"
    assert await question_vector(hashing, asked) == await hashing.embed_query(asked)


async def test_a_dialogue_leans_to_its_last_turn() -> None:
    hashing = create_embedder("hash")
    talk = "Ada: The press is loud today.\nBen: Shall I order another belt?"
    found = await question_vector(hashing, talk)
    assert hypot(*found) == pytest.approx(1)
    whole, last = (
        await hashing.embed_query(talk),
        await hashing.embed_query("Shall I order another belt?"),
    )
    assert cosine(found, last) > cosine(whole, last)
    assert cosine(found, whole) > 0.8


async def test_of_a_long_dialogue_the_end_counts() -> None:
    hashing = create_embedder("hash")
    end = ["Ada: The press is loud today.", "Ben: Shall I order another belt?"]
    early = [f"Ada: The walk number {i} by the lake was long and quiet." for i in range(WHOLE)]
    found = await question_vector(hashing, "\n".join([*early, *end]))
    assert found == await question_vector(hashing, "\n".join([*early[100:], *end]))
    assert found != await question_vector(hashing, "\n".join(early))
