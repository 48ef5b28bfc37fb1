"""Ids, and places of events, that do not depend on chance: the same step gets the same ones in both
worlds.

Chance would order what is equal otherwise, and differences of no meaning would hide the others.
Where two equal worlds are compared, the ids are left to chance, but not the places: it is they that
decide in which order the events of different readers come, and no other rule does."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID
from zlib import crc32

PLACE: ContextVar["Ids | None"] = ContextVar("PLACE", default=None)
TAGS = 2**28
SLOTS, SLOT = 997, 500  # of the events of one audience


@dataclass
class Ids:
    """The ids of one world: by the time, then by a number within it; `tag` tells worlds apart."""

    tag: int
    counts: dict[int, Iterator[int]] = field(default_factory=lambda: defaultdict(itertools.count))

    def next(self, now: datetime) -> str:
        """The next id of an instant, a UUIDv7."""
        milliseconds = int(now.timestamp() * 1000)
        value = milliseconds << 80 | 0x7 << 76 | 0x2 << 62
        number = next(self.counts[milliseconds]) << 52
        # Ids of other instants have another random part, as all ids have.
        return str(
            UUID(
                int=value
                | number
                | crc32(str(milliseconds).encode()) % TAGS << 24
                | self.tag % 2**24
            )
        )


def uuid7_of(original: object) -> object:
    """A `uuid7` that asks the world it runs in, if that has steady ids."""

    def uuid7(now: datetime) -> str:
        ids = PLACE.get()
        return ids.next(now) if ids is not None else original(now)  # type: ignore[operator]

    return uuid7


def offsets(audiences: Sequence[str]) -> list[int]:
    """The offsets of events: those of an audience depend on its name without its owner, which
    differs between worlds."""
    slots: dict[str, int] = {}
    for audience in sorted(set(audiences)):
        slot = crc32(audience.partition("/")[2].encode()) % SLOTS
        while slot in slots.values():
            slot = (slot + 1) % SLOTS
        slots[audience] = slot
    seen = Counter[str]()
    found = []
    for audience in audiences:
        found.append(slots[audience] * SLOT + seen[audience])
        seen[audience] += 1
    return found
