"""Events: what changed, for those who may know of it.

An event's number is the microsecond of the database's clock at which it was written, plus a
random offset. It grows in the order of the commits and counts nothing: from two numbers nobody
can infer how many events, which they may not read, lie between them."""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.actors import INIT, MANUAL

SPREAD: Final = 1000  # microseconds, less than it takes to commit
ROOM: Final = 4  # microseconds per event; writing one takes longer
CHANNELS: Final = ("memory_update", "memory_conflict", "knowledge_update", "state_change")
TYPES: Final = (
    *("CREATE", "EDIT", "APPEND", "DELETE", "ARCHIVE", "MERGE", "REVERT", "DECAY", "RENAME"),
    *("PROPOSE", "COMMIT", "REJECT", "LINK", "PIN", "VISIBILITY", "PROMOTE", "ALERT", "RESYNC"),
)
MAX_SEQ: Final = 2**53 - 1  # largest integer that a JSON number holds exactly


@dataclass(frozen=True, kw_only=True)
class Event:
    """One change, as reported to those who may know of it; never with a note's text."""

    id: str
    seq: int
    at: datetime
    type: str
    channel: str
    actor: str
    subject_id: str | None
    domain: str | None
    summary: str
    data: object


def approval_of(event: Event) -> str:
    """Return how a change was approved: auto, approved, pending, or — for what needs no approval.

    A proposal is pending until it is decided; what a reflection or a reviewer accepted is
    approved; the user in person, imports and alerts need none (Moltbot 12.4)."""
    data = event.data if isinstance(event.data, Mapping) else {}
    told = data.get("approval")
    if event.type == "PROPOSE" or told == "deferred":
        return "pending"
    if told == "approved" or event.actor.startswith("reflection:"):
        return "approved"
    return "—" if event.type == "ALERT" or event.actor in (MANUAL, INIT) else "auto"


def draw_offsets(audiences: Sequence[str]) -> list[int]:
    """Return the offsets of events that are written together, given the audience of each.

    The offsets are in microseconds and all different. An audience comes with that of another
    note that the event is about. Events of one audience keep their order. Offsets are drawn for
    each audience by itself: a viewer reads an audience wholly or not at all, so what it sees
    does not depend on what is hidden."""
    taken: set[int] = set()
    drawn: dict[str, list[int]] = {}
    for audience, count in Counter(audiences).items():
        own: set[int] = set()
        while len(own) < count:
            offset = secrets.randbelow(max(SPREAD, ROOM * count))
            if offset not in taken:
                taken.add(offset)
                own.add(offset)
        drawn[audience] = sorted(own, reverse=True)
    return [drawn[audience].pop() for audience in audiences]
