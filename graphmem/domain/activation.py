"""How present a note is at an instant: pure functions of (note, now).

Three measures use the same access times (DIFF-5): ACT-R's base level (activation), the
half-life's retention, and the decay score with type weights (relevance)."""

from collections.abc import Sequence
from datetime import datetime
from math import exp, inf, log, log2

from graphmem.domain.decay import Decay

ACT_R_DECAY = 0.5  # d, MUMA 4.3
KEPT_ACCESSES = 20
BASE_BY_SOURCE = {"TOLD": 1.0, "EXPERIENCE": 0.7, "INFERRED": 0.5}  # DIFF-11
DECAY = Decay()  # the numbers of the documents
_SECOND = 1 / 3600  # in hours: the shortest time since an access (DIFF-7)


def hours_between(earlier: datetime, later: datetime) -> float:
    """Return the hours from the earlier instant to the later one, at least one second."""
    return max((later - earlier).total_seconds() / 3600, _SECOND)


def activation(
    created_at: datetime,
    accesses: Sequence[datetime],
    access_count: int,
    now: datetime,
    d: float = ACT_R_DECAY,
) -> float:
    """Return the ACT-R base level B = ln(sum of t_i^-d) (MUMA 4.3).

    t_i are the hours since each use, d = 0.5. Creation is the first use (DIFF-7). `accesses` are
    the newest of the `access_count` accesses; the older ones are treated as spread evenly
    between creation and the oldest kept one (Petrov's approximation: n · (t_n^(1-d) - t_k^(1-d))
    / ((1-d) · (t_n - t_k)))."""
    age = hours_between(created_at, now)
    strength = age**-d + sum(hours_between(at, now) ** -d for at in accesses)
    older = access_count - len(accesses)
    if older > 0 and accesses:
        oldest = hours_between(min(accesses), now)
        if age > oldest:
            strength += older * (age ** (1 - d) - oldest ** (1 - d)) / ((1 - d) * (age - oldest))
    return log(strength)


def retention(half_life_hours: float | None, last_used_at: datetime, now: datetime) -> float:
    """Return e^(-ln 2 · t / half-life) (MUMA 4.4).

    t is the hours since the last use. A note that never decays has 1."""
    if half_life_hours is None:
        return 1.0
    return exp(-log(2) * max((now - last_used_at).total_seconds(), 0.0) / 3600 / half_life_hours)


def relevance(
    source: str,
    kind: str,
    *,
    pinned: bool,
    last_used_at: datetime,
    access_count: int,
    now: datetime,
    core: bool = False,
    decay: Decay = DECAY,
) -> float:
    """Return base · e^(-λ · days) · log2(access_count + 2) · type weight (Moltbot 9.1).

    Moltbot's access count is ours + 1; days are calendar days in UTC (DIFF-7, DIFF-9). A pinned
    note stays at 1; `core` notes belong to core memory, which has its own weight."""
    if pinned:
        return 1.0
    days = max((now.date() - last_used_at.date()).days, 0)
    return (
        BASE_BY_SOURCE[source]
        * exp(-decay.rate * days)
        * log2(access_count + 2)
        * decay.weight("core" if core else kind)
    )


def activation_range(value: float) -> str:
    """Return the name of the range that an activation lies in, for statistics."""
    for low, name in ((2.0, "high"), (0.0, "medium"), (-2.0, "low"), (-inf, "faint")):
        if value >= low:
            return name
    return "faint"
