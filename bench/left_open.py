"""Measures what becomes of a dashboard that is left open while notes are written.

    python -m bench.left_open --seconds 3600

A service with the embedder `hash` runs on a fresh store, `--rate` notes a second are written to it,
and a headless Chromium for each page of the dashboard has that page open. Reported for each page:
the memory of its scripts, its DOM nodes and its listeners at the begin (a twentieth of the time),
in the middle and at the end, each after a garbage collection; of how many of the notes it heard,
which number it shows in the end, and how soon after the last write. How much the service has grown
is reported too, in kB."""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bench.subscribers import REMEMBER, resident, served
from tests.fakes.browsers import Tab, tab_on

USER = "left-open"
CATCH_UP_S = 60.0  # after which the page counts as having missed what it does not show
SEVERAL = 50  # writes on their way at the same time, at most
# Where the page shows how many notes there are.
NUMBERS = {"overview": "a.figure strong", "notes": ".under span"}
LISTEN = """(async () => {
    const { onEvent } = await import('/dashboard/api.js');
    window.heard = 0;
    onEvent((event) => { if (event?.type === 'CREATE') window.heard += 1; });
})()"""
LIVE = "document.querySelector('.dot').dataset.state === 'live'"
READY = "!!document.querySelector('.page[data-ready]')"


@dataclass
class Page:
    """A page that is open, and what it was found to hold."""

    name: str
    tab: Tab
    looks: list[Mapping[str, int]] = field(default_factory=list)

    async def look(self) -> None:
        """See what the page holds, once nothing is left that it does not need."""
        await self.tab.call("HeapProfiler.collectGarbage")
        heap = await self.tab.call("Runtime.getHeapUsage")
        held = await self.tab.call("Memory.getDOMCounters")
        self.looks.append(
            {
                "heap_kb": round(heap["usedSize"] / 1024),
                "nodes": held["nodes"],
                "listeners": held["jsEventListeners"],
            }
        )

    async def shown(self) -> int:
        """How many notes there are, as the page has it."""
        text = await self.tab.run(f"document.querySelector('{NUMBERS[self.name]}')?.textContent")
        return int("".join(filter(str.isdigit, text or "")) or 0)

    async def catch_up(self, number: int) -> float | None:
        """Seconds until the page shows a number of notes; None if it does not."""
        began = time.perf_counter()
        while (took := time.perf_counter() - began) < CATCH_UP_S:
            if await self.shown() == number:
                return round(took, 1)
            await asyncio.sleep(0.1)
        return None


@asynccontextmanager
async def opened(name: str, port: int, folder: Path) -> AsyncIterator[Page]:
    """A page in a browser of its own, which hears of changes."""
    url = f"http://127.0.0.1:{port}/#/{name}?user={USER}"
    async with tab_on(folder / name, url) as tab:
        await tab.until(f"{READY} && {LIVE}")
        await tab.run(LISTEN)
        await asyncio.sleep(1)  # its subscription begins
        yield Page(name, tab)


async def write(port: int, rate: float, seconds: float) -> int:
    """Write notes at this rate; how many there are then. One that took too long may be there."""
    limits = httpx.Limits(max_connections=SEVERAL)
    busy = asyncio.Semaphore(SEVERAL)

    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}",
        headers={"X-Graphmem-User": USER},
        timeout=120,
        limits=limits,
    ) as client:

        async def write_one(number: int) -> None:
            async with busy:
                content = f"Note {number} of the measure, written while the page is open."
                body = {"query": REMEMBER, "variables": {"content": content}}
                await client.post("/graphql", json=body)

        began, number = time.perf_counter(), 0
        async with asyncio.TaskGroup() as group:
            while (now := time.perf_counter() - began) < seconds:
                number += 1
                group.create_task(write_one(number))
                await asyncio.sleep(max(0.0, number / rate - now))
        answer = await client.post("/graphql", json={"query": "{ stats { totalNotes } }"})
    return answer.json()["data"]["stats"]["totalNotes"]


async def measure(port: int, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Open the pages, write, and look; the figures of each page."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        async with AsyncExitStack() as stack:
            pages = [
                await stack.enter_async_context(opened(name, port, Path(folder)))
                for name in given.pages.split(",")
            ]
            writing = asyncio.create_task(write(port, given.rate, given.seconds))
            for wait in (0.05, 0.45):
                await asyncio.sleep(wait * given.seconds)
                await asyncio.gather(*(page.look() for page in pages))
            written = await writing
            late = await asyncio.gather(*(page.catch_up(written) for page in pages))
            await asyncio.gather(*(page.look() for page in pages))
            return [
                {
                    "page": page.name,
                    **{name: [look[name] for look in page.looks] for name in page.looks[0]},
                    "notes": written,
                    "heard": await page.tab.run("window.heard"),
                    "shown": await page.shown(),
                    "shown_after_s": after,
                    "complaints": page.tab.complaints[:3],
                }
                for page, after in zip(pages, late, strict=True)
            ]


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print, one JSON line for each page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--rate", type=float, default=10, help="notes a second")
    parser.add_argument("--pages", default=",".join(NUMBERS))
    parser.add_argument("--port", type=int, default=8397)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        os.environ["GRAPHMEM_DATA"] = folder
        with served(Path.cwd(), given.port, Path(folder) / "log") as process:
            before = resident(process)
            for row in asyncio.run(measure(given.port, given)):
                show(json.dumps(row))
            show(json.dumps({"service_kb": round(resident(process) - before)}))


if __name__ == "__main__":
    main()
