"""Whether work grows faster than the text that it reads."""

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FLOOR = 0.04  # seconds; work that takes less for the longest text is not judged
STEEP = 1.5  # the power of its size with which the work for a text may grow
LONGEST = 1.0  # seconds of CPU for one text, more is given up
ENOUGH = 0.012  # seconds of CPU over which one measurement goes: the clock may be coarse
MOST_RUNS = 400
CONFIRMED = 4  # measurements that must agree: other work on the machine disturbs one or two


class TooSlow(Exception):
    """The text took more than the time given."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End what runs in it after so much CPU time; on the main thread only."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def glance(work: Callable[[str], object], text: str) -> float:
    """Roughly what one run takes, in seconds; infinite when it is given up."""
    begun = time.perf_counter()
    try:
        with at_most(LONGEST):
            work(text)
    except TooSlow:
        return float("inf")
    return time.perf_counter() - begun


def cost(work: Callable[[str], object], text: str) -> float:
    """The CPU seconds of one run, the mean of as many as make it exact; infinite when it is given
    up."""
    gc.disable()  # what it does depends on all that the process holds
    runs, begun, used = 0, time.process_time(), 0.0
    try:
        while used < ENOUGH and runs < MOST_RUNS:
            with at_most(LONGEST):
                work(text)
            runs += 1
            used = time.process_time() - begun
    except TooSlow:
        return float("inf")
    finally:
        gc.enable()
    return used / runs


def is_steep(work: Callable[[str], object], text_of: Callable[[int], str], most: int) -> bool:
    """Whether the work grows faster than about linearly up to texts of `most` characters."""
    large = glance(work, text_of(most // 6))
    if large < FLOOR / 40 or (large < LONGEST and large < 20 * glance(work, text_of(most // 60))):
        return False
    return all(_grows(work, text_of, most) for _ in range(CONFIRMED))


def _grows(work: Callable[[str], object], text_of: Callable[[int], str], most: int) -> bool:
    sizes = [most // 12, most // 6, most // 3, most]
    costs: list[float] = []
    for size in sizes:
        costs.append(cost(work, text_of(size)))
        if costs[-1] == float("inf"):
            return True
    least = max(min(costs[0], costs[1] / 2), FLOOR / 1_000)
    return costs[-1] >= FLOOR and costs[-1] / least > (sizes[-1] / sizes[0]) ** STEEP
