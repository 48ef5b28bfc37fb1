"""Personalised PageRank: the walk over a neighbourhood."""

from collections.abc import Mapping
from itertools import chain
from math import fsum

import numpy as np


def personalised_pagerank(
    edges: Mapping[str, Mapping[str, float]],
    reset: Mapping[str, float],
    *,
    damping: float = 0.5,
    rounds: int = 8,
) -> dict[str, float]:
    """Return the share of time that a random walk spends at each node (Haveliwala 2002).

    The walk restarts at `reset` with probability 1 - damping, and otherwise follows an edge by its
    weight. Shares add up to 1; nodes without any are left out. Where a node's weights add up to
    less than 1, the rest of its share goes back to the restart, so weak edges alone carry little.
    Equal edges give equal shares to the last digit, whatever their order: that order depends on
    what else is in the store.
    """
    total = fsum(reset.values())
    if total <= 0:
        return {}
    targets = chain.from_iterable(edges.values())
    places = {node: place for place, node in enumerate(sorted({*edges, *targets, *reset}))}
    nodes, sizes = len(places), [len(each) for each in edges.values()]
    source = np.repeat(np.array([places[node] for node in edges], np.int64), sizes)
    target = np.fromiter(
        map(places.__getitem__, chain.from_iterable(edges.values())), np.int64, len(source)
    )
    weight = np.fromiter(
        chain.from_iterable(each.values() for each in edges.values()), np.float64, len(source)
    )
    order = np.lexsort((target, source))
    source, target, weight = source[order], target[order], weight[order]
    weights = np.bincount(source, weight, nodes)
    part = damping * weight / np.maximum(weights, 1)[source]
    lost = damping * (1 - weights / np.maximum(weights, 1))
    start = np.zeros(nodes)
    for node, value in reset.items():
        start[places[node]] = value / total
    rank = start
    for _ in range(rounds):
        moved = np.bincount(target, rank[source] * part, nodes)
        rank = moved + (1 - damping + lost @ rank) * start
    return {node: share for node, share in zip(places, rank.tolist(), strict=True) if share > 0}
