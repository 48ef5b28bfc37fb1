"""A Chromium for tests of pages."""

import asyncio
import json
import os
import shutil
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-popup-blocking "
    "--remote-debugging-port=0"
).split()


def chromium() -> str:
    """GRAPHMEM_TEST_CHROMIUM, or the Chromium that is found on the PATH; skips without one."""
    set_to = os.environ.get("GRAPHMEM_TEST_CHROMIUM")
    found = set_to or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium: set GRAPHMEM_TEST_CHROMIUM or put one on the PATH")
    return found


@asynccontextmanager
async def browsing(folder: Path, address: str) -> AsyncIterator[None]:
    """A browser of its own that opens an address."""
    process = await asyncio.create_subprocess_exec(
        chromium(),
        *FLAGS,
        f"--user-data-dir={folder}",
        address,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


class Tab:
    """The page that a browser has open, over Chrome's DevTools protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = count(1)
        self.complaints: list[str] = []  # what the page or the browser wrote as errors

    async def call(self, method: str, **parameters: Any) -> Any:
        """Carry out one command; the errors that are told meanwhile are kept."""
        number = next(self._numbers)
        request = {"id": number, "method": method, "params": parameters}
        await self._socket.send(json.dumps(request))
        while (message := await self._next()).get("id") != number:
            pass
        return message["result"]

    async def open(self, address: str) -> None:
        """Load a page, with all that it names."""
        await self.call("Log.enable")
        await self.call("Page.enable")
        await self.call("Page.navigate", url=address)
        while (await self._next()).get("method") != "Page.loadEventFired":
            pass

    async def _next(self) -> dict[str, Any]:
        message = json.loads(await self._socket.recv())
        if message.get("method") == "Log.entryAdded":
            entry = message["params"]["entry"]
            if entry["level"] == "error":
                self.complaints.append(f"{entry['text'][:200]} {entry.get('url', '')[:100]}")
        return message

    async def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        return answer["result"].get("value")

    async def until(self, script: str) -> Any:
        """The value of an expression, as soon as it is a true one."""
        while not (found := await self.run(script)):  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.05)
        return found


@asynccontextmanager
async def tab_on(folder: Path, address: str) -> AsyncIterator[Tab]:
    """The page at an address, in a browser of its own."""
    async with browsing(folder, "about:blank"):
        port_file = folder / "DevToolsActivePort"
        while not port_file.exists() or not port_file.read_text().strip():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        port = port_file.read_text().split()[0]
        url = await asyncio.to_thread(_socket_of_page, f"http://127.0.0.1:{port}/json/list")
        async with connect(url, max_size=None) as socket:
            tab = Tab(socket)
            await tab.open(address)
            yield tab


def _socket_of_page(listing: str) -> str:
    while True:
        with urllib.request.urlopen(listing, timeout=30) as answer:
            pages = [each for each in json.load(answer) if each["type"] == "page"]
        if pages:
            return pages[0]["webSocketDebuggerUrl"]
