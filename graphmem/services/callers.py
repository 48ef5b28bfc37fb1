"""Tracks whether this process is serving anybody, for work that lets callers go first."""

import time
from collections.abc import Callable
from math import inf
from typing import Final

HERE_S: Final = 1.0  # time after a request in which more are expected
REST: Final = 2.0  # how many times as long as its last piece of work such work rests


class Callers:
    """The time when somebody last asked for something."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without any callers; `clock` is in seconds."""
        self._clock = clock
        self._last_s: float | None = None

    def came(self) -> None:
        """Record that somebody asks for something now."""
        self._last_s = self._clock()

    @property
    def idle_s(self) -> float:
        """Seconds since somebody asked for something; infinite if nobody has."""
        return inf if self._last_s is None else self._clock() - self._last_s

    @property
    def here(self) -> bool:
        """True if somebody asked for something just now."""
        return self.idle_s < HERE_S
