"""Whether anybody is being served by this process, for work that lets them go first."""

import time
from collections.abc import Callable
from math import inf
from typing import Final

HERE_S: Final = 1.0  # after a request, for which more of them are awaited
REST: Final = 2.0  # times as long as its last piece of work took, rests what lets callers go first


class Callers:
    """When somebody last asked for something."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nobody yet; `clock` is in seconds."""
        self._clock = clock
        self._last_s: float | None = None

    def came(self) -> None:
        """Tell that somebody asks for something now."""
        self._last_s = self._clock()

    @property
    def idle_s(self) -> float:
        """Seconds since somebody asked for something; infinite if nobody has."""
        return inf if self._last_s is None else self._clock() - self._last_s

    @property
    def here(self) -> bool:
        """Whether somebody asked for something just now."""
        return self.idle_s < HERE_S
