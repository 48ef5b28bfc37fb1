"""Shared domains: what of a user's memory the agents of a team may be sent to."""

from dataclasses import dataclass
from datetime import datetime

MAX_SHARED = 200  # domains that a user shares, each with one team


@dataclass(frozen=True, kw_only=True)
class SharedDomain:
    """A user's consent that a team's members and their agents are told who of the user's agents
    knows what, and read by `consult` the OPEN and SCOPED notes of a domain and below."""

    user: str
    domain: str
    team: str
    expires_at: datetime | None  # None: until it is taken back
