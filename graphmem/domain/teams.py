"""Teams: people who share a commons."""

from dataclasses import dataclass
from datetime import datetime

MAX_MEMBERS = 200
MAX_LED = 50  # teams that a user registers, except as an admin


@dataclass(frozen=True, kw_only=True)
class Team:
    """People who share a commons. The members are in the order in which they came; the first one
    leads: besides an admin, nobody else says who is a member."""

    id: str
    name: str
    members: tuple[str, ...]
    version: int
    invited: tuple[str, ...] = ()  # who are no members before they agree

    @property
    def lead(self) -> str | None:
        """The member who sets the team; None where nobody is left."""
        return self.members[0] if self.members else None


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """A user is asked to be a member of a team."""

    team: str
    name: str
    invited_by: str
    at: datetime
