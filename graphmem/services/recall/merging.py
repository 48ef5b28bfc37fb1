"""Merging hits from elsewhere into those of a recall."""

from collections.abc import Sequence
from dataclasses import replace

from graphmem.services.recall.recall import Hit


def merge_hits(own: Sequence[Hit], others: Sequence[Hit], k: int) -> tuple[Hit, ...]:
    """Return the first `k` hits of both lists, each in its own order.

    A hit of `others` is placed before the first own hit whose similarity is lower than its score.
    """
    merged, remaining = list[Hit](), list(others)
    for hit in own:
        while remaining and remaining[0].score > hit.similarity:
            merged.append(remaining.pop(0))
        merged.append(hit)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate((merged + remaining)[:k], 1))
