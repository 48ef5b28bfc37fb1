"""Measures what counting costs: recalls with the meter of a service and with one that does nothing.

    python -m bench.metering [--notes 2000] [--asked 2000]

One process, one store that was just filled, one caller over HTTP within the process. Each question
is asked of both services, in turn, the first of the two changing; `ratio` is that of the medians.
`scrape_ms` is the time of `/metrics` after that, whose look at the graph is new each time.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import httpx

from bench.filling import Words, fill, settings_of
from graphmem.app import create_app, open_context
from graphmem.services.meter import Meter

ASK = "query Q($q: String!) { recall(input: { query: $q, track: false }) { hits { score } } }"
WARM_UP = 200
SCRAPES = 20
T = TypeVar("T")


class NoMeter(Meter):
    """Counts nothing."""

    def count(self, name: str, *labels: str) -> None:
        """Do nothing."""

    def time(self, name: str, seconds: float, *labels: str) -> None:
        """Do nothing."""

    async def stage(self, label: str, work: Awaitable[T]) -> T:
        """Return what the work gives."""
        return await work


async def timed(client: httpx.AsyncClient, question: str) -> float:
    """Milliseconds of one recall."""
    began = time.perf_counter()
    body = {"query": ASK, "variables": {"q": question}}
    answer = await client.post("/graphql", json=body, headers={"X-Graphmem-User": "user0"})
    assert "errors" not in answer.json(), answer.text
    return 1000 * (time.perf_counter() - began)


async def measure(folder: Path, notes: int, asked: int) -> dict[str, float]:
    """The figures."""
    await fill(folder, notes)
    settings = settings_of(folder, notes)
    async with open_context(settings, patience_s=60) as context:
        clients = [
            httpx.AsyncClient(
                transport=httpx.ASGITransport(
                    app=create_app(settings, opened=replace(context, meter=meter))
                ),
                base_url="http://127.0.0.1:8321",
                timeout=60,
            )
            for meter in (Meter(), NoMeter())
        ]
        words = Words(3)
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(WARM_UP + asked):
            question = words.sentence(8)
            # Other texts, or the second vector would come from the cache of questions.
            for turn, place in enumerate((0, 1) if number % 2 else (1, 0)):
                took = await timed(clients[place], question + " ?" * turn)
                if number >= WARM_UP:
                    times[place].append(took)
        scrapes = []
        for _ in range(SCRAPES):
            began = time.perf_counter()
            (await clients[0].get("/metrics")).raise_for_status()
            scrapes.append(1000 * (time.perf_counter() - began))
        for client in clients:
            await client.aclose()
    counted, uncounted = map(statistics.median, times)
    differences = [one - other for one, other in zip(*times, strict=True)]
    return {
        "counted_ms": round(counted, 3),
        "uncounted_ms": round(uncounted, 3),
        "ratio": round(counted / uncounted, 4),
        "median_difference_ms": round(statistics.median(differences), 3),
        "scrape_ms": round(statistics.median(scrapes), 2),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--asked", type=int, default=2000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder), given.notes, given.asked))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
