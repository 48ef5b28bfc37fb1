"""Teams: people who share a commons."""

from dataclasses import dataclass
from datetime import datetime, timedelta

MAX_MEMBERS = 200
MAX_INVITED = 200  # people whom a user invites within the time for which an invitation lasts
MAX_BLOCKS = 1_000  # of invitations, by a user
MAX_TOLD = 20  # invitations of a user; further ones are listed, without an event
INVITED_FOR = timedelta(days=30)
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
    joined: int = 0  # how many have ever come, who left and came back twice

    @property
    def lead(self) -> str | None:
        """The member who sets the team; None where nobody is left."""
        return self.members[0] if self.members else None

    @property
    def is_of_one(self) -> bool:
        """Decide if nobody but its one member was ever in it."""
        return self.joined == len(self.members) == 1


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """A user is asked to be a member of a team."""

    team: str
    name: str
    invited_by: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class InvitationBlock:
    """A user is not asked by a team, by another user, or, without both, by anybody."""

    team: str | None
    user: str | None
    at: datetime
