"""Work on texts leaves the event loop, in bounded pieces, and ends with who waits for it."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from graphmem.errors import Unavailable
from graphmem.services.callers import REST, Callers
from graphmem.services.text_work import MOST_REST_S, PART_S, PIECE, Stopped, TextWork, in_pieces


async def test_the_loop_goes_on_while_texts_are_read() -> None:
    work = TextWork()
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())

    def reads(number: int) -> int:
        before = ticks
        while ticks < before + 3:  # only a loop that goes on ends it
            sum(range(1_000))
        return number

    assert await work.each(reads, range(5)) == [0, 1, 2, 3, 4]
    ticking.cancel()
    work.close()


async def test_work_ends_with_the_operation_that_waits_for_it() -> None:
    work = TextWork(threads=1)
    begun, ended = threading.Event(), threading.Event()

    def endless(check: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                check()
                time.sleep(0.001)
        except Stopped:
            ended.set()
            raise

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await work.run(endless)
    assert await asyncio.to_thread(lambda: not begun.is_set() or ended.wait(30))
    assert await work.run(lambda _: "next") == "next"  # the only thread is free again
    work.close()


async def test_work_that_lets_callers_go_first_rests_between_its_parts() -> None:
    now, rests, callers = [0.0], list[float](), Callers(lambda: now[0])
    work = TextWork(threads=1, lets_go_first=callers, clock=lambda: now[0], rest=rests.append)

    def in_parts(check: Callable[[], None]) -> None:
        for took in (2 * PART_S, PART_S / 2, PART_S):
            now[0] += took
            check()

    await work.run(in_parts)
    assert rests == []
    callers.came()
    await work.run(in_parts)
    assert rests == [pytest.approx(REST * 2 * PART_S), pytest.approx(REST * 1.5 * PART_S)]

    def long(check: Callable[[], None]) -> None:
        for _ in range(100):
            now[0] += 1.0
            callers.came()
            check()

    rests.clear()
    await work.run(long)
    assert sum(rests) == MOST_REST_S, "in one piece"
    await work.run(long)
    assert sum(rests) == 2 * MOST_REST_S
    work.close()


async def test_no_item_is_begun_after_the_operation_has_ended() -> None:
    work = TextWork(threads=1)
    done: list[int] = []
    first = threading.Event()

    def slow(number: int) -> None:
        done.append(number)
        first.set()
        time.sleep(0.05)

    task = asyncio.create_task(work.each(slow, range(100), lambda _: 1))
    await asyncio.to_thread(first.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await work.run(lambda _: None)
    assert len(done) < 100
    work.close()


async def test_what_waits_is_bounded() -> None:
    work = TextWork(threads=1, most_waiting=2)
    go = threading.Event()
    waiting = [asyncio.create_task(work.run(lambda _: go.wait(30))) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable):
        await work.run(lambda _: None)
    go.set()
    await asyncio.gather(*waiting)
    await work.run(lambda _: None)
    work.close()
    with pytest.raises(Unavailable):
        await work.run(lambda _: None)


async def test_errors_of_the_work_reach_the_caller() -> None:
    work = TextWork()

    def fails(_: object) -> None:
        raise ValueError("no text")

    with pytest.raises(ValueError, match="no text"):
        await work.run(fails)
    with pytest.raises(ValueError, match="no text"):
        await work.each(fails, [1])
    work.close()


def test_pieces_are_of_bounded_size_and_keep_the_order() -> None:
    sizes = [PIECE // 2, PIECE // 3, PIECE // 3, 5 * PIECE, 1, 2, 0]
    pieces = [list(piece) for piece in in_pieces(sizes, lambda size: size)]
    assert [size for piece in pieces for size in piece] == sizes
    assert all(len(piece) == 1 or sum(piece) <= PIECE for piece in pieces)
    assert list(in_pieces([], len)) == []
