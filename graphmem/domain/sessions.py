"""Sessions: an agent's work, with a local memory that only the agent reads (MUMA 4.1, 4.5, 10)."""

from dataclasses import dataclass
from datetime import datetime

MAX_LOCAL = 1_000  # notes in the local memory of a session
MAX_TASK = 1_000  # characters


@dataclass(frozen=True, kw_only=True)
class Session:
    """One piece of work of an agent. `dropped`: the number of local notes archived at its end."""

    id: str
    task: str | None
    opened_at: datetime
    closed_at: datetime | None
    dropped: int
    closing: bool = False  # its end has begun: no more notes are accepted
    local: int = 0  # notes in its local memory
