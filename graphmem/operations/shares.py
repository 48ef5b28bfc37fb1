"""Counts of what each user has at the same time, so that nobody takes everything."""

from collections import Counter
from typing import Final

from graphmem.errors import RateLimited

EACH: Final = 400  # the default; a setting
RETRY_S: Final = 5


class Shares:
    """A number of places for each user, all agents and keys of the user together."""

    def __init__(self, each: int = EACH, what: str = "connections") -> None:
        self._each, self._what = each, what
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """The number of places that all users have taken."""
        return self._taken.total()

    def take(self, user: str) -> "Share":
        """Take a place of a user, to be released later. Raises RateLimited when there is none
        left."""
        if self._taken[user] >= self._each:
            raise RateLimited(
                f"This user has {self._each} {self._what}, which is as many as one may have",
                retryAfter=RETRY_S,
            )
        self._taken[user] += 1
        return Share(self._taken, user)


class Share:
    """One place of a user."""

    def __init__(self, taken: "Counter[str]", user: str) -> None:
        self._taken: Counter[str] | None = taken
        self._user = user

    def release(self) -> None:
        """Release the place; calling it again has no effect."""
        taken, self._taken = self._taken, None
        if taken is not None:
            taken[self._user] -= 1
            if not taken[self._user]:
                del taken[self._user]
