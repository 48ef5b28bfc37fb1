"""Which notes move to another tier, by age and recalls (Tiered Memory)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.notes import Tier
from graphmem.domain.profiles.parameters import Tiered


class Move(StrEnum):
    """A way from one tier to another; a run makes them in this order."""

    TO_SHORT_TERM = "to_short_term"
    COMPRESS = "compress"  # into the note of a topic; itself it stays until it is cleaned up
    PROMOTE = "promote"
    ARCHIVE = "archive"
    PURGE = "purge"  # not to a tier, but out of the memory
    CLEAN = "clean"  # archives what was compressed long enough ago


TIERS: Final = MappingProxyType(
    {
        Move.TO_SHORT_TERM: (Tier.DAILY, Tier.SHORT_TERM),
        Move.COMPRESS: (Tier.DAILY, Tier.SHORT_TERM),
        Move.PROMOTE: (Tier.LONG_TERM, Tier.SHORT_TERM),
        Move.ARCHIVE: (Tier.SHORT_TERM, Tier.LONG_TERM),
    }
)


@dataclass(frozen=True, kw_only=True)
class DueBounds:
    """What makes a note due at an instant: `until` is the newest creation or last use (the oldest
    recall that counts, for a promotion; the newest compression, for a clean-up), `recalls` how many
    there must be, or may be at most, and `cooled` the newest promotion before which a note may go
    back."""

    until: datetime
    cooled: datetime
    recalls: int


def bounds_of(move: Move, given: Tiered, now: datetime) -> DueBounds:
    """The bounds of a move at an instant."""
    least, within = given.promotion
    until, recalls = {
        Move.TO_SHORT_TERM: (given.compression, 0),
        Move.COMPRESS: (given.compression, 0),
        Move.PROMOTE: (within, least),
        Move.ARCHIVE: (given.archival, given.t3_max_recalls_before_archival),
        Move.PURGE: (given.deletion, 0),
        Move.CLEAN: (given.retention, 0),
    }[move]
    return DueBounds(until=now - until, cooled=now - given.cooldown, recalls=recalls)
