"""Ids that do not depend on chance: the same step gets the same ones in both worlds.

Chance would order what is equal otherwise, and differences of no meaning would hide the others. It
is left to chance where two equal worlds are compared."""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

PLACE: ContextVar["Ids | None"] = ContextVar("PLACE", default=None)


@dataclass
class Ids:
    """The ids of one world: by the time, then by a number within it; `tag` tells worlds apart."""

    tag: int
    counts: dict[int, Iterator[int]] = field(default_factory=lambda: defaultdict(itertools.count))

    def next(self, now: datetime) -> str:
        """The next id of an instant, a UUIDv7."""
        milliseconds = int(now.timestamp() * 1000)
        value = milliseconds << 80 | 0x7 << 76 | 0x2 << 62
        return str(UUID(int=value | next(self.counts[milliseconds]) << 40 | self.tag))


def uuid7_of(original: object) -> object:
    """A `uuid7` that asks the world it runs in, if that has steady ids."""

    def uuid7(now: datetime) -> str:
        ids = PLACE.get()
        return ids.next(now) if ids is not None else original(now)  # type: ignore[operator]

    return uuid7
