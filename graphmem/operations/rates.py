"""Limits on how often a caller may ask: a bucket of operations in this process for each key, or for
each user where keys are not required."""

import math
import time
from collections.abc import Callable
from typing import Final

from graphmem.errors import RateLimited

MOST: Final = 10_000  # buckets that are kept, those used last
MINUTE_S: Final = 60.0


class Rates:
    """Each caller may ask for `a_minute` operations at once, and gets as many again each minute."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = a_minute, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> None:
        """Count an operation of the caller. Raises RateLimited, which says when to try again."""
        now = self._clock()
        left = self._remaining_of(who, now)
        self._left.pop(who, None)  # so that the one that was used longest ago is the first
        if len(self._left) >= MOST:
            del self._left[next(iter(self._left))]
        self._left[who] = (left if left < 1 else left - 1, now)
        if left < 1:
            wait = math.ceil((1 - left) * MINUTE_S / self._most)
            raise RateLimited(retryAfter=wait)

    def _remaining_of(self, who: str, now: float) -> float:
        left, at = self._left.get(who, (float(self._most), now))
        return min(self._most, left + (now - at) * self._most / MINUTE_S)
