"""The numbers of writing a note (MUMA 4.2, 5.3 and 7.2)."""

from dataclasses import dataclass

HALF_LIFE_HOURS = 168.0
PERSISTENCE_THRESHOLD = -2.0
HIGH_VALUE_IMPORTANCE = 0.95
WRITE_K = 10
CONFLICT_SIMILARITY = 0.85
NEAREST = 40  # notes of the same audience that are read near a new one; more are not compared


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How a new note begins and what it is compared with."""

    half_life_hours: float = HALF_LIFE_HOURS  # of a note that nobody has used yet
    write_k: int = WRITE_K  # the nearest notes that a new one is compared with
    conflict_similarity: float = CONFLICT_SIMILARITY  # cosine above which a contradiction is one
    persistence_threshold: float = PERSISTENCE_THRESHOLD  # activation from which a local note stays
    high_value_importance: float = HIGH_VALUE_IMPORTANCE  # of a local note that is shared at once
