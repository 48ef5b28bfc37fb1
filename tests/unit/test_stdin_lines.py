"""Lines of a file that may never end."""

import asyncio
import os
from threading import Thread

from graphmem.mcp.stdin_lines import StdinLines


async def test_lines_come_until_the_file_ends() -> None:
    source, target = os.pipe()
    lines = StdinLines()
    thread = Thread(target=lines.read, args=(source,))
    thread.start()
    os.write(target, b"one\ntwo\n\xff")
    os.close(target)
    async with asyncio.timeout(60):
        assert [line async for line in lines] == ["one\n", "two\n", "\ufffd"]
    await asyncio.to_thread(thread.join)
    os.close(source)


async def test_an_end_needs_no_more_of_the_file() -> None:
    source, target = os.pipe()
    lines = StdinLines()
    thread = Thread(target=lines.read, args=(source,))
    thread.start()
    os.write(target, b"one\n")
    async with asyncio.timeout(60):
        assert await anext(lines) == "one\n"
        lines.end()
        assert [line async for line in lines] == []
    os.close(target)
    await asyncio.to_thread(thread.join)
    os.close(source)
