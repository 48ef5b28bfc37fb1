"""Handoffs: a task that one agent passes on to another, with notes that are lent for it (MUMA 8.2).

To lend is to open a note to one agent more, until its task ends. Only notes that are OPEN or SCOPED
are lent beyond the receiver's domains: nobody reads above its clearance by a handoff."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.visibility import Visibility

MAX_LENT = 50  # notes of a handoff
MAX_SUMMARY = 5_000  # characters
MAX_WAITING = 200  # handoffs to an agent that have not ended
DAYS = 7  # after which a handoff ends in any case
LENT = (Visibility.OPEN, Visibility.SCOPED)


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """A task that was passed on. It ends with the session in which its receiver works on it."""

    id: str
    user: str
    sender: str | None  # agent; None: the user in person
    receiver: str  # agent
    summary: str
    at: datetime
    ended_at: datetime | None
