"""A circuit breaker: after several failures in a row a service is not called for a while."""

import time
from collections.abc import Callable
from typing import Final

FAILURES: Final = 5
PAUSE_S: Final = 60.0


class Breaker:
    """Closed until `failures` in a row, then open for `pause_s` seconds, then one try decides."""

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        pause_s: float = PAUSE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = failures
        self._pause_s = pause_s
        self._clock = clock
        self._failures = 0
        self._opened_at = 0.0
        self._trying = False

    @property
    def open(self) -> bool:
        """True if calls are held back, or wait for the outcome of the one trial call."""
        return self._failures >= self._most

    @property
    def resting(self) -> bool:
        """True if no call may be made now."""
        return self.open and (self._trying or self._clock() - self._opened_at < self._pause_s)

    def allows(self) -> bool:
        """Check whether a call may be made now; the caller must then report how it ended."""
        if self.resting:
            return False
        self._trying = self.open
        return True

    def succeeded(self) -> None:
        """Record a successful call and close the breaker."""
        self._failures = 0
        self._trying = False

    def failed(self) -> bool:
        """Record a failed call; return True if this opens the breaker, or keeps it open."""
        self._failures += 1
        self._trying = False
        if self.open:
            self._opened_at = self._clock()
        return self.open
