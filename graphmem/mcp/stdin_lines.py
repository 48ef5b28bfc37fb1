"""The lines of stdin for a program that may end while its client keeps stdin open."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class StdinLines:
    """Lines that come one by one until stdin ends or `end` is called."""

    def __init__(self) -> None:
        """Prepare an empty queue. Needs a running event loop."""
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._free = threading.Semaphore()  # one line is read ahead

    def __aiter__(self) -> "StdinLines":
        """Return the iterator itself."""
        return self

    async def __anext__(self) -> str:
        """Wait for the next line."""
        line = await self._lines.get()
        self._free.release()
        if line is None:
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """Let no more lines come after those that were read."""
        self._lines.put_nowait(None)

    def read(self, fd: int) -> None:
        """Read a file until its end, in a thread of its own, or until the loop is closed."""
        with suppress(RuntimeError), os.fdopen(fd, "rb", closefd=False) as file:
            for line in file:
                self._free.acquire()
                text = line.decode("utf-8", errors="replace")
                self._loop.call_soon_threadsafe(self._lines.put_nowait, text)
            self._loop.call_soon_threadsafe(self.end)


@contextmanager
def stdin_lines() -> Iterator[StdinLines]:
    """Yield the lines of stdin; whatever else reads stdin meanwhile finds it empty.

    The reading thread is a daemon: nothing ends its waiting for a client that sends nothing, and
    the process ends without it. So the descriptor that it reads stays open."""
    lines, private = StdinLines(), os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    threading.Thread(target=lines.read, args=(private,), name="stdin", daemon=True).start()
    try:
        yield lines
    finally:
        os.dup2(private, 0)
