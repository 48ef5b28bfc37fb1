"""The numbers for writing a note (MUMA 4.2, 5.3 and 7.2)."""

from dataclasses import dataclass
from enum import StrEnum

HALF_LIFE_HOURS = 168.0
PERSISTENCE_THRESHOLD = -2.0
HIGH_VALUE_IMPORTANCE = 0.95
WRITE_K = 10
CONFLICT_SIMILARITY = 0.85
OUTDATED = 0.95  # likelihood from which a later note takes the place of an earlier one
SAME = 0.8  # likelihood from which a later note is the same in other words
IN_DOUBT = 0.75  # likelihood from which two notes are in conflict, for a person to decide
NEAREST = 40  # nearest notes of the same audience read for a new one


class Secrets(StrEnum):
    """The way a text that holds a secret, such as a key or a card number, is treated."""

    REDACT = "redact"  # the secret is cut out
    USER_ONLY = "user_only"  # it is kept, in a note that no agent reads
    BLOCK = "block"  # nothing is written
    OFF = "off"  # nobody looks


@dataclass(frozen=True, kw_only=True)
class Writing:
    """The numbers for a new note and its comparison with others."""

    half_life_hours: float = HALF_LIFE_HOURS  # of a note that nobody has used yet
    write_k: int = WRITE_K  # the nearest notes that a new one is compared with
    conflict_similarity: float = CONFLICT_SIMILARITY  # cosine above which a contradiction counts
    outdated: float = OUTDATED  # likelihood from which a later note replaces an earlier one
    same: float = SAME  # likelihood from which it says the same
    in_doubt: float = IN_DOUBT  # likelihood from which they conflict
    persistence_threshold: float = (
        PERSISTENCE_THRESHOLD  # activation above which a local note stays
    )
    high_value_importance: float = (
        HIGH_VALUE_IMPORTANCE  # local notes of this importance are shared at once
    )
    secrets: Secrets = Secrets.REDACT


@dataclass(frozen=True)
class UpdateVerdict:
    """The likelihoods, each 0..1, that a later note makes an earlier one out of date.

    It replaces the earlier one, replaces one of several facts in it, or says the same. In all
    other cases both notes stay true."""

    replaced: float = 0.0
    partly: float = 0.0
    same: float = 0.0

    @property
    def outdated(self) -> float:
        """The likelihood that something in the earlier note is out of date."""
        return self.replaced + self.partly
