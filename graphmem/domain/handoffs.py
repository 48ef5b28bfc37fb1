"""Handoffs: a task that one agent passes on to another, with notes lent for it (MUMA 8.2).

Lending opens a note to one more agent, until its task ends. Only OPEN or SCOPED notes are lent
beyond the receiver's domains: a handoff never lets anybody read above its clearance."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.visibility import Visibility

MAX_LENT = 50  # notes in one handoff
MAX_SUMMARY = 5_000  # characters
MAX_WAITING = 200  # handoffs to one agent that have not ended
DAYS = 7  # a handoff ends after them in any case
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
