"""One read for many callers, never older than their question."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from graphmem.services.shared_reads import SharedReads


class Source:
    """A value that changes; a read takes until it is let go."""

    def __init__(self) -> None:
        self.value, self.begun = 0, 0
        self.go = asyncio.Event()

    async def read(self) -> int:
        self.begun += 1
        found = self.value
        await self.go.wait()
        return found


async def asked(reads: SharedReads, read: Callable[[], Awaitable[int]]) -> "asyncio.Task[int]":
    """A caller that has asked and waits."""
    task = asyncio.create_task(reads.get("one", read))
    for _ in range(5):
        await asyncio.sleep(0)
    return task


async def test_callers_of_one_moment_share_a_read() -> None:
    reads, source = SharedReads(), Source()
    source.go.set()
    assert await asyncio.gather(*(reads.get("one", source.read) for _ in range(80))) == [0] * 80
    assert source.begun == 1
    assert await reads.get("two", source.read) == 0
    assert source.begun == 2


async def test_who_asks_while_a_read_goes_on_gets_the_next_one() -> None:
    reads, source = SharedReads(), Source()
    first = await asked(reads, source.read)
    source.value = 1
    later = [await asked(reads, source.read) for _ in range(3)]
    source.go.set()
    assert await first == 0
    assert await asyncio.gather(*later) == [1, 1, 1]
    assert source.begun == 2


async def test_a_caller_that_goes_away_takes_nothing_from_the_others() -> None:
    reads, source = SharedReads(), Source()
    gone, stays = await asked(reads, source.read), await asked(reads, source.read)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    source.go.set()
    assert await stays == 0


async def test_an_error_reaches_all_who_asked_and_the_next_read_is_made_anew() -> None:
    reads, source = SharedReads(), Source()

    async def broken() -> int:
        raise RuntimeError

    failed = await asyncio.gather(
        *(reads.get("one", broken) for _ in range(2)), return_exceptions=True
    )
    assert [type(each) for each in failed] == [RuntimeError, RuntimeError]
    source.go.set()
    assert await reads.get("one", source.read) == 0


async def test_closing_ends_what_is_being_read() -> None:
    reads, source = SharedReads(), Source()
    waiting = [await asked(reads, source.read) for _ in range(2)]
    await reads.close()
    for task in waiting:
        with pytest.raises(asyncio.CancelledError):
            await task
