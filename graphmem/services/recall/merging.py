"""Putting hits from elsewhere among those of a recall."""

from collections.abc import Sequence
from dataclasses import replace

from graphmem.services.recall.recall import Hit


def among(own: Sequence[Hit], others: Sequence[Hit], k: int) -> tuple[Hit, ...]:
    """The first `k` hits of both, each in its order: one of the others comes before the first own
    hit that is less like the question."""
    merged, left = list[Hit](), list(others)
    for hit in own:
        while left and left[0].score > hit.why.similarity:
            merged.append(left.pop(0))
        merged.append(hit)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate((merged + left)[:k], 1))
