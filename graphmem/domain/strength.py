"""How strong a note is now: the three measures of `activation`, side by side."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.activation import ACT_R_DECAY, DECAY, activation, relevance, retention
from graphmem.domain.decay import Decay
from graphmem.domain.notes import Note, Status, Tier


@dataclass(frozen=True, kw_only=True)
class Strength:
    """ACT-R's base level, the share of the half-life's decay that is left, the decay score."""

    activation: float
    retention: float
    relevance: float


def strength(note: Note, now: datetime, d: float = ACT_R_DECAY, decay: Decay = DECAY) -> Strength:
    """The strength of a note at `now`, with ACT-R's decay `d`; what is archived has no relevance
    (MOLT-32), and the weight of core memory is for foundational notes."""
    used = note.last_accessed_at or note.created_at
    score = relevance(
        note.source,
        note.kind,
        pinned=note.pinned,
        last_used_at=used,
        access_count=note.access_count,
        now=now,
        core=note.tier is Tier.FOUNDATIONAL,
        decay=decay,
    )
    return Strength(
        activation=activation(note.created_at, note.accesses, note.access_count, now, d),
        retention=retention(note.half_life_hours, used, now),
        relevance=0.0 if note.status is Status.ARCHIVED else score,
    )
