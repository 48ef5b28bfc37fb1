"""The bytes of requests that the process holds: one budget for all of them, whatever protocol they
use. Bytes count from when they are read until their request has ended."""

from collections import Counter
from typing import Final

from graphmem.errors import Unavailable

BUDGET_BYTES: Final = 64 * 1024 * 1024  # the default; a setting
SHARE: Final = 2  # one user takes no more than this part of them
RETRY_S: Final = 5


class BodyBudget:
    """The number of bytes of requests that the process holds, and the most that it may hold."""

    def __init__(self, most: int = BUDGET_BYTES, body_limit: int = 0) -> None:
        """Hold at most so many bytes, but at least one request of `body_limit` bytes."""
        self._most = max(most, body_limit)
        self._share = max(self._most // SHARE, body_limit)
        self._held: Counter[str | None] = Counter()

    @property
    def held(self) -> int:
        """The bytes of all requests."""
        return self._held.total()

    def take(self, count: int, user: str | None) -> None:
        """Count bytes of a user, or of a caller without a key. Raises Unavailable, counting none of
        them, when there are too many."""
        mine = self._held[user] + count
        if self.held + count > self._most or (user is not None and mine > self._share):
            raise Unavailable(
                "Too many bytes of requests are being read; try again", retryAfter=RETRY_S
            )
        self._held[user] = mine

    def give_back(self, count: int, user: str | None) -> None:
        """Release bytes that were taken."""
        self._held[user] -= count
        if self._held[user] <= 0:
            del self._held[user]
