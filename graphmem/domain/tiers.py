"""Moves of notes to another tier, by age and recalls (Tiered Memory)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.notes import Tier
from graphmem.domain.profiles.parameters import Tiered


class Move(StrEnum):
    """A move from one tier to another; a run makes them in this order."""

    TO_SHORT_TERM = "to_short_term"
    COMPRESS = "compress"  # into the note of a topic; the note itself stays until CLEAN
    PROMOTE = "promote"
    ARCHIVE = "archive"
    PURGE = "purge"  # out of the memory
    CLEAN = "clean"  # archives notes that were compressed long enough ago


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
    """The bounds that make a note due at an instant.

    `until` is the newest creation or last use (for a promotion the oldest recall that counts,
    for a clean-up the newest compression), `recalls` the required or highest number of recalls,
    and `cooled` the time by which a note must have been promoted to be moved back."""

    until: datetime
    cooled: datetime
    recalls: int


def bounds_of(move: Move, given: Tiered, now: datetime) -> DueBounds:
    """Return the bounds of a move at an instant."""
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
