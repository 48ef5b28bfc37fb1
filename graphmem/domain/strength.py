"""The current strength of a note: the three measures of `activation`, side by side."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.activation import activation, relevance, retention
from graphmem.domain.decay import Decay
from graphmem.domain.notes import Note, Status, Tier


@dataclass(frozen=True, kw_only=True)
class Strength:
    """ACT-R's base level, the remaining share of the half-life's decay, and the decay score."""

    activation: float
    retention: float
    relevance: float


def strength(note: Note, now: datetime, d: float, decay: Decay) -> Strength:
    """Return the strength of a note at `now`, with ACT-R's decay `d` and the numbers of forgetting.

    These have no default, as whoever left them out would ignore the settings. An archived note
    has no relevance (MOLT-32), and the weight of core memory is for foundational notes."""
    return Strength(
        activation=activation_of(note, now, d),
        retention=retention_of(note, now),
        relevance=relevance_of(note, now, decay),
    )


def activation_of(note: Note, now: datetime, d: float) -> float:
    """Return ACT-R's base level of a note."""
    return activation(note.created_at, note.accesses, note.access_count, now, d)


def retention_of(note: Note, now: datetime) -> float:
    """Return the remaining share of the half-life's decay of a note."""
    return retention(note.half_life_hours, _last_used(note), now)


def relevance_of(note: Note, now: datetime, decay: Decay) -> float:
    """Return the decay score of a note."""
    if note.status is Status.ARCHIVED:
        return 0.0
    return relevance(
        note.source,
        note.kind,
        pinned=note.pinned,
        last_used_at=_last_used(note),
        access_count=note.access_count,
        now=now,
        core=note.tier is Tier.FOUNDATIONAL,
        decay=decay,
    )


def _last_used(note: Note) -> datetime:
    return note.last_accessed_at or note.created_at
