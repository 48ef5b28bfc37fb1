"""Keeps one bad row from ending a job.

What fails for rows together is done for fewer of them, until only the rows that fail by themselves
are left out. The run counts them as `skipped`.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from traceback import extract_tb
from typing import Final, TypeVar

import structlog

from graphmem.domain.jobs import SKIPPED
from graphmem.errors import BeingErased, Conflict, Unauthenticated, Unavailable

GONE: Final = (Unauthenticated, BeingErased)  # errors of a job for a user who is erased meanwhile
# places in a row that can't be read; beyond that the error is not about one of them
MOST_STEPS: Final = 1_000
Item = TypeVar("Item")
Page = TypeVar("Page")
Read = Callable[[str, int], Awaitable[tuple[str | None, Page]]]
NextPlace = Callable[[str], Awaitable[str | None]]
FURTHEST: Final = 10_000  # notes that one step ahead to a row covers, at most
log = structlog.get_logger(__name__)


class Cancelled(Exception):
    """Somebody asked the run to stop."""


class TakenOver(Conflict):
    """Another process goes on with the run."""


# errors that are not about one of its rows
ABOUT_THE_RUN: Final = (TakenOver, Cancelled, Unavailable)


class FailureIsolation(ABC):
    """The rows of one run."""

    def __init__(self, job: str) -> None:
        """Start with nothing counted."""
        self.job = job
        self.counts = Counter[str]()

    @abstractmethod
    async def checkpoint(self, place: str | None = None, *, of: str | None = None) -> None:
        """Report that the run lives. Raises when it is to stop."""

    def skip(self, error: Exception) -> None:
        """Leave out a row: it is counted, and logged without its text."""
        self.counts[SKIPPED] += 1
        log.error("a row is skipped", **describe_error(self.job, error))

    async def each(
        self, rows: Sequence[Item], work: Callable[[Sequence[Item]], Awaitable[object]]
    ) -> list[Item]:
        """Do the work of one transaction for rows.

        Where it fails, it is done for each half of them. Returns the rows for which it fails alone,
        which are left out. Raises what is not about a row.
        """
        parts, left_out = [rows], list[Item]()
        while parts:
            part = parts.pop()
            try:
                await work(part)
                continue
            except ABOUT_THE_RUN:
                raise
            except GONE:
                continue
            except Exception as error:
                if len(part) == 1:
                    self.skip(error)
                    left_out += part
            if len(part) > 1:
                half = len(part) // 2
                parts += [part[half:], part[:half]]
            await self.checkpoint()
        return left_out

    async def pages(
        self, read: Read[Page], most: int, *, after: str, step_over: NextPlace
    ) -> AsyncGenerator[tuple[str, Page]]:
        """Yield pages of at most `most` rows after a place, each with the place of its last row.

        `read` gives them, until it gives no place. A page that can't be read is read in smaller
        ones, and a row that can't be read alone is left out: `step_over` returns which place comes
        next, or the same place where it finds no such row any more. Raises what is not about a row:
        where nothing can be read, the first error.
        """
        limit, steps, first, skipped = most, 0, None, False
        while True:
            try:
                place, page = await read(after, limit)
            except ABOUT_THE_RUN:
                raise
            except Exception as error:
                first = first or error
                place, page = None, None
                if limit == 1:
                    steps += 1
                    place = await step_over(after) if steps <= MOST_STEPS else None
                    if place is None or (place == after and steps > 1):
                        raise first from None
                    if place != after and not skipped:
                        self.skip(error)
                        skipped = True
            else:
                if place is None:
                    return
                first, steps, skipped = None, 0, False
                yield place, page
            if place is None:
                limit //= 2
            else:
                after = place
                limit = limit if steps else min(most, 2 * limit)
            await self.checkpoint()


def in_order_of(
    read: Callable[[str, int], Awaitable[Sequence[Item]]], place: Callable[[Item], str]
) -> Read[Sequence[Item]]:
    """Adapt a function that gives rows alone to what `pages` reads."""

    async def page(after: str, limit: int) -> tuple[str | None, Sequence[Item]]:
        rows = await read(after, limit)
        return (place(rows[-1]) if rows else None), rows

    return page


async def next_unreadable(
    after: str,
    read_up_to: Callable[[str], Awaitable[object]],
    step: Callable[[str, int], Awaitable[str | None]],
) -> str:
    """Find the place of the next unreadable row, where few places have a row.

    Returns `after` if every row can be read by now. `read_up_to(place)` reads a row after `after`,
    up to and including `place`; `step(place, n)` gives the place `n` places further on, or the last
    one.
    """

    async def fails(place: str) -> bool:
        try:
            await read_up_to(place)
        except ABOUT_THE_RUN:
            raise
        except Exception:
            return True
        return False

    low, ahead = after, 1
    while True:
        high = await step(low, ahead)
        if high is None:
            return after
        if await fails(high):
            break
        low, ahead = high, min(2 * ahead, FURTHEST)
    while ahead > 1:
        ahead //= 2
        between = await step(low, ahead)
        if between is not None and between < high:
            if await fails(between):
                high = between
            else:
                low = between
    return high


def describe_error(job: str, error: Exception) -> dict[str, str]:
    """Return only the kind and place of an error: a driver's message may quote a note."""
    frames = extract_tb(error.__traceback__)
    return {
        "job": job,
        "error": type(error).__name__,
        "place": f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "",
    }
