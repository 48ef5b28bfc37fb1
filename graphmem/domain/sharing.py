"""Shared domains: the part of a user's memory that a team's agents may be referred to."""

from dataclasses import dataclass
from datetime import datetime

MAX_SHARED = 200  # domains shared by a user, each with one team


@dataclass(frozen=True, kw_only=True)
class SharedDomain:
    """A user's consent to share a domain and those below it with a team.

    The team's members and their agents learn which of the user's agents knows what, and read by
    `consult` the OPEN and SCOPED notes of the domain."""

    user: str
    domain: str
    team: str
    expires_at: datetime | None
    """when it ends by itself"""
