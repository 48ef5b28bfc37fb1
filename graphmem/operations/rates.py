"""How often one may ask: a bucket of operations for each user and agent, of this process."""

import math
import time
from collections.abc import Callable
from typing import Final

from graphmem.domain.actors import Viewer
from graphmem.errors import RateLimited

MOST: Final = 10_000  # buckets that are kept
MINUTE_S: Final = 60.0


class Rates:
    """Each may ask for `a_minute` operations at once, and gets as many anew in each minute."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = a_minute, clock
        self._left: dict[tuple[str, str | None], tuple[float, float]] = {}

    def take(self, viewer: Viewer) -> None:
        """Count an operation of who asks. Raises RateLimited, which tells when to try again."""
        now, agent = self._clock(), viewer.agent
        who = (viewer.user, agent.id if agent else None)
        left = self._left_of(who, now)
        if left < 1:
            wait = math.ceil((1 - left) * MINUTE_S / self._most)
            raise RateLimited(retryAfter=wait)
        if len(self._left) >= MOST and who not in self._left:
            self._drop(now)
        self._left[who] = (left - 1, now)

    def _left_of(self, who: tuple[str, str | None], now: float) -> float:
        left, at = self._left.get(who, (float(self._most), now))
        return min(self._most, left + (now - at) * self._most / MINUTE_S)

    def _drop(self, now: float) -> None:
        """Forget who has a full bucket again; where all have asked of late, everybody."""
        known = {who for who in self._left if self._left_of(who, now) < self._most}
        self._left = {who: self._left[who] for who in known} if len(known) < MOST else {}
