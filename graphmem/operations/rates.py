"""Limits how often one may ask: a bucket of operations for each key, or each user where no key is
asked for, of this process."""

import math
import time
from collections.abc import Callable
from typing import Final

from graphmem.errors import RateLimited

MOST: Final = 10_000  # buckets that are kept, those used last
MINUTE_S: Final = 60.0


class Rates:
    """Each may ask for `a_minute` operations at once, and gets as many anew in each minute."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = a_minute, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> None:
        """Count an operation of who asks. Raises RateLimited, which tells when to try again."""
        now = self._clock()
        left = self._left_of(who, now)
        self._left.pop(who, None)  # so that the one that was used longest ago is the first
        if len(self._left) >= MOST:
            del self._left[next(iter(self._left))]
        self._left[who] = (left if left < 1 else left - 1, now)
        if left < 1:
            wait = math.ceil((1 - left) * MINUTE_S / self._most)
            raise RateLimited(retryAfter=wait)

    def _left_of(self, who: str, now: float) -> float:
        left, at = self._left.get(who, (float(self._most), now))
        return min(self._most, left + (now - at) * self._most / MINUTE_S)
