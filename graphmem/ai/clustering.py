"""Groups vectors by similarity and nearness in time."""

from collections.abc import Callable, Sequence

import numpy as np

_AT_ONCE = 256  # vectors compared with all others in one step


def group_vectors(
    vectors: Sequence[Sequence[float]],
    hours: Sequence[float],
    *,
    similarity: float,
    scale_hours: float,
    check: Callable[[], None] = lambda: None,
) -> list[list[int]]:
    """Return the numbers of unit vectors in groups (MUMA-70).

    Two vectors join when cosine * e^(-hours apart / scale) is at least `similarity`, and groups
    are transitive. Groups and their members are in the order of the numbers. `check` is called
    between steps; an exception it raises ends the work."""
    if not vectors:
        return []
    rows = np.asarray(vectors, dtype=np.float32)
    times = np.asarray(hours, dtype=np.float64)
    open_ = np.ones(len(rows), dtype=bool)
    groups = []
    for first in range(len(rows)):
        if not open_[first]:
            continue
        open_[first] = False
        members, waiting = [first], [first]
        while waiting:
            check()
            part, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            others = np.flatnonzero(open_)
            if not len(others):
                break
            fresh = others[_find_near(rows, times, part, others, similarity, scale_hours)]
            open_[fresh] = False
            found = fresh.tolist()
            members += found
            waiting += found
        groups.append(sorted(members))
    return groups


def _find_near(
    rows: np.ndarray,
    times: np.ndarray,
    part: Sequence[int],
    others: np.ndarray,
    similarity: float,
    scale_hours: float,
) -> np.ndarray:
    """Return those of the others that join any vector of `part`."""
    apart = np.abs(times[part][:, None] - times[others][None, :])
    found = (rows[part] @ rows[others].T) * np.exp(-apart / scale_hours)
    # Rounding: a pair that is exactly at the bound joins.
    return np.any(found >= similarity - 1e-6, axis=0)
