"""The share of one request in what all requests share: its bytes, and one connection of its
user."""

from typing import Final

from graphmem.operations.bodies import BodyBudget
from graphmem.operations.shares import Share, Shares

HOLDING: Final = "graphmem.holding"  # in the scope of a request


class Holding:
    """Bytes and a connection, released together."""

    def __init__(
        self, budget: BodyBudget, connections: Shares | None = None, user: str | None = None
    ) -> None:
        """Begin with no bytes; `user` is the owner of the bytes, if already known."""
        self._budget, self._connections, self._user = budget, connections, user
        self._bytes = 0
        self._place: Share | None = None

    def set_user(self, user: str) -> None:
        """Record who asks, before any byte is taken. Raises RateLimited when the user has too many
        connections."""
        if self._connections is not None and self._place is None:
            self._place = self._connections.take(user)
        self._user = user

    @property
    def is_known(self) -> bool:
        """True if it is known who asks."""
        return self._user is not None

    def take(self, count: int) -> None:
        """Hold more bytes. Raises Unavailable."""
        self._budget.take(count, self._user)
        self._bytes += count

    def release(self) -> None:
        """Release everything; calling it again has no effect."""
        self._budget.give_back(self._bytes, self._user)
        self._bytes = 0
        if self._place is not None:
            self._place.release()
