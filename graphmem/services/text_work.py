"""Work on texts outside of the event loop: on few threads, in pieces of bounded size.

It runs only while the operation waits for it. A piece of work is at most what one long note takes.
Between two pieces the threads take what others have asked for, and where the operation has ended,
no further piece begins.
"""

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

from graphmem.errors import Unavailable
from graphmem.services.callers import REST, Callers

THREADS: Final = 2
MOST_WAITING: Final = 256  # pieces, one of each operation
PIECE: Final = 20_000  # characters
PART_S: Final = 0.002  # time after which low-priority work rests
MOST_REST_S: Final = 30.0  # most rest in a piece of work: a job's lease is not renewed meanwhile

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """Raised in the work when nobody waits for it any more."""


@dataclass
class _Part:
    """The start of a part of a piece of work, and the time that the piece has rested."""

    began_s: float
    rested_s: float = 0.0


class TextWork:
    """The threads that read texts; those of one context."""

    def __init__(
        self,
        threads: int = THREADS,
        most_waiting: int = MOST_WAITING,
        lets_go_first: Callers | None = None,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], object] = time.sleep,
    ) -> None:
        """Start nothing yet: a thread begins with the first work.

        With `lets_go_first`, it rests between the parts of a piece while somebody is being served.
        """
        self._callers, self._clock, self._rest = lets_go_first, clock, rest
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="graphmem-text")
        self._room = threading.BoundedSemaphore(threads + most_waiting)
        self.waiting = 0  # operations that wait for a piece of theirs

    async def run(self, work: Callable[[Callable[[], None]], Result]) -> Result:
        """Do the work in a thread.

        It gets a function to call between its parts, which ends the work with `Stopped` when the
        caller was cancelled. Raises Unavailable when too much waits, and what the work raises.
        """
        if not self._room.acquire(blocking=False):
            raise Unavailable("too many texts wait to be read; try again")
        ended = threading.Event()
        part = _Part(self._clock())

        def check() -> None:
            if ended.is_set():
                raise Stopped
            if self._callers is not None:
                self._let_go_first(self._callers, part)

        try:
            future = self._threads.submit(contextvars.copy_context().run, work, check)
        except RuntimeError as exc:
            self._room.release()
            raise Unavailable("the service is stopping") from exc
        future.add_done_callback(lambda _: self._room.release())
        self.waiting += 1
        try:
            return await asyncio.wrap_future(future)
        finally:
            self.waiting -= 1
            ended.set()

    def _let_go_first(self, callers: Callers, part: "_Part") -> None:
        worked_s = self._clock() - part.began_s
        if worked_s < PART_S:
            return
        if callers.here and part.rested_s < MOST_REST_S:
            self._rest(REST * worked_s)
            part.rested_s += REST * worked_s
        part.began_s = self._clock()

    async def each(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        size: Callable[[Item], int] = lambda _: PIECE,
    ) -> list[Result]:
        """Do the work for each item, in order; `size` returns the characters of an item.

        Raises what `run` raises.
        """
        done: list[Result] = []
        for piece in in_pieces(items, size):
            done += await self.run(lambda check, piece=piece: _each(work, piece, check))
        return done

    def close(self) -> None:
        """Refuse further work and drop what waits; what runs ends after its part."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def in_pieces(
    items: Sequence[Item], size: Callable[[Item], int], most: int | None = None
) -> Iterator[Sequence[Item]]:
    """Split the items into runs of about `most` (`PIECE`) characters, at least one item in each."""
    start = together = 0
    for place, item in enumerate(items):
        here = size(item)
        if place > start and together + here > (most or PIECE):
            yield items[start:place]
            start, together = place, 0
        together += here
    if start < len(items):
        yield items[start:]


def _each(
    work: Callable[[Item], Result], items: Sequence[Item], check: Callable[[], None]
) -> list[Result]:
    found = []
    for item in items:
        check()
        found.append(work(item))
    return found
