"""Teams: people who share a commons."""

from dataclasses import dataclass
from datetime import datetime, timedelta

MAX_MEMBERS = 200
MAX_INVITED = 200  # invitations by one user within the time for which they last
MAX_BLOCKS = 1_000  # blocks of invitations set by one user
MAX_TOLD = 20  # invitations of a user with an event; further ones are only listed
INVITED_FOR = timedelta(days=30)
MAX_LED = 50  # teams that a user may register, except as an admin


@dataclass(frozen=True, kw_only=True)
class Team:
    """People who share a commons.

    The members are in the order in which they joined; the first one leads: apart from an admin,
    nobody else decides who is a member."""

    id: str
    name: str
    members: tuple[str, ...]
    version: int
    invited: tuple[str, ...] = ()
    """users who are asked to be members, and are none before they agree"""
    joined: int = 0  # number of joins ever; one who left and came back counts twice

    @property
    def lead(self) -> str | None:
        """The member who manages the team; None if nobody is left."""
        return self.members[0] if self.members else None

    @property
    def is_of_one(self) -> bool:
        """True if nobody but its one member was ever in it."""
        return self.joined == len(self.members) == 1


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """An invitation of a user to join a team."""

    team: str
    name: str
    invited_by: str
    """the user who named you"""
    at: datetime


@dataclass(frozen=True, kw_only=True)
class InvitationBlock:
    """A block of invitations: to a team, by a user, both combined, or, without both, all of
    them."""

    team: str | None
    user: str | None
    at: datetime
