"""The numbers of forgetting: when a note fades, becomes dormant and is archived."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from graphmem.domain.durations import read_hours
from graphmem.domain.notes import Status

FADING_BELOW = 0.5  # of min(1, relevance), Moltbot 9.2
DORMANT_BELOW = 0.2
PRUNE_HALF_LIVES = 2.0  # half-lives without an access, MUMA 4.4
COMMONS_PEOPLE = 4  # more people don't extend the half-life
_HOURS = frozenset(("min_age", "max_age", "commons_half_life"))
_WEIGHTS = {"core": 1.5, "episodic": 0.8, "semantic": 1.2, "procedural": 1.0}  # MOLT-36


def _check(what: str, value: float, low: float, high: float) -> None:
    if not (isfinite(value) and low <= value <= high):
        raise ValueError(f"{what} must be from {low:g} to {high:g}")


@dataclass(frozen=True, kw_only=True)
class Decay:
    """Decay parameters (sources: MUMA 7.1, Moltbot 9).

    Raises ValueError for numbers out of range."""

    rate: float = 0.03
    """the decay of `relevance` a day (lambda)"""
    weights: Mapping[str, float] = field(default_factory=lambda: dict(_WEIGHTS))
    """the weight of a note in `relevance` by its kind; `core` is for core memory"""
    archive_threshold: float = 0.05
    """a note with a lower `relevance` is archived"""
    prune_threshold: float = -2.0
    """a note with a lower `activation` is a candidate for consolidation,"""
    min_age: float = 72.0
    """if it is older than this many hours, also as `3d`"""
    hard_prune_threshold: float = -5.0
    """a note with a lower `activation` is archived,"""
    max_age: float = 720.0
    """if it is older than this many hours, also as `720h`"""
    commons_half_life: float = 8760.0
    """hours after which knowledge or a skill of a team fades, unless somebody verified or used
    it; after twice as long it is archived. Each further person who did adds as long again, up to
    4"""

    def __post_init__(self) -> None:
        _check("rate", self.rate, 0, 10)
        for name, weight in self.weights.items():
            if name not in _WEIGHTS:
                raise ValueError(f"weights knows {', '.join(_WEIGHTS)}")
            _check(f"the weight of {name}", weight, 0, 1e6)
        _check("archive_threshold", self.archive_threshold, 0, DORMANT_BELOW)
        for name in ("prune_threshold", "hard_prune_threshold"):
            _check(name, getattr(self, name), -1e6, 1e6)
        for name in ("min_age", "max_age"):
            _check(name, getattr(self, name), 0, 1e6)
        _check("commons_half_life", self.commons_half_life, 1, 1e6)

    def weight(self, kind: str) -> float:
        """Return the weight of a kind, or of `core`."""
        name = kind.lower()
        return self.weights.get(name, _WEIGHTS[name])


def read_decay(given: Mapping[str, object]) -> dict[str, object]:
    """Return parameters as settings name them by their names here.

    `lambda`, a keyword of Python, is `rate`; lengths of time may have a unit. Raises ValueError."""
    return {
        "rate" if name == "lambda" else name: read_hours(each) if name in _HOURS else each
        for name, each in given.items()
    }


def status_by(relevance: float, decay: Decay) -> Status:
    """Return the status of a note by its relevance (Moltbot 9.2)."""
    if relevance < decay.archive_threshold:
        return Status.ARCHIVED
    if relevance < DORMANT_BELOW:
        return Status.DORMANT
    return Status.FADING if relevance < FADING_BELOW else Status.ACTIVE
