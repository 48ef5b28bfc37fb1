"""Measures how soon subscribers hear of a change.

    python -m bench.subscribers --code ../before,. --subscribers 80 --writes 10

Each folder of `--code` is a checkout of graphmem; a service of each runs, with the embedder `hash`,
on the Neo4j that GRAPHMEM_NEO4J_URI names (a fresh one for measuring). The same number of clients
follows the events of one user over WebSocket on each, and the writes go to the services in turn.
Reported for each: milliseconds from the answer of a write to its event at the first, the median and
the last subscriber, as medians over the writes; an event may come before the answer."""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from bench.start import ready_after

EVENTS = 'subscription { events(types: ["CREATE"]) { subjectId } }'
REMEMBER = """mutation R($content: String!) {
  remember(input: {content: $content, mode: VERBATIM}) { noteId } }"""
SECONDS = 60.0  # after which a subscriber is given up


@contextmanager
def served(code: Path, port: int, log: Path) -> Iterator[None]:
    """A service of this code on the database of the environment."""
    environment = os.environ | {"PYTHONPATH": str(code), "GRAPHMEM_EMBEDDER": "hash"}
    command = [sys.executable, "-m", "graphmem", "serve", "--port", str(port)]
    began = time.perf_counter()
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command, env=environment, cwd=code, stdout=subprocess.DEVNULL, stderr=errors
        )
    try:
        ready_after(process, port, began)
        yield
    finally:
        process.terminate()
        process.wait(60)


class Followed:
    """A service with subscribers of one user; each notes when it heard of a note."""

    def __init__(self, port: int, user: str) -> None:
        """Follow as `user` on this port."""
        self.port, self.user = port, user
        self.heard: dict[str, list[float]] = {}

    @asynccontextmanager
    async def subscriber(self) -> AsyncIterator[None]:
        """One that follows."""
        headers = {"x-graphmem-user": self.user}
        address = f"ws://127.0.0.1:{self.port}/graphql"
        async with connect(
            address, subprotocols=[Subprotocol("graphql-transport-ws")], additional_headers=headers
        ) as socket:
            await socket.send(json.dumps({"type": "connection_init"}))
            await socket.recv()
            message = {"id": "1", "type": "subscribe", "payload": {"query": EVENTS}}
            await socket.send(json.dumps(message))

            async def listen() -> None:
                async for text in socket:
                    told = json.loads(text)
                    if told["type"] == "next":
                        note = told["payload"]["data"]["events"]["subjectId"]
                        self.heard.setdefault(note, []).append(time.perf_counter())

            task = asyncio.create_task(listen())
            try:
                yield
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def write(self, content: str) -> tuple[str, float]:
        """Write a note; its id, and when the answer came."""
        async with httpx.AsyncClient(timeout=SECONDS) as client:
            answer = await client.post(
                f"http://127.0.0.1:{self.port}/graphql",
                json={"query": REMEMBER, "variables": {"content": content}},
                headers={"x-graphmem-user": self.user},
            )
        return answer.json()["data"]["remember"]["noteId"], time.perf_counter()

    async def delays(self, content: str, subscribers: int) -> list[float]:
        """Milliseconds after the answer at which each heard of a note, in order."""
        note, answered = await self.write(content)
        async with asyncio.timeout(SECONDS):
            while len(self.heard.get(note, ())) < subscribers:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return sorted(1000 * (at - answered) for at in self.heard[note])


async def measure(ports: Sequence[int], subscribers: int, writes: int) -> list[list[list[float]]]:
    """The delays of each write, service by service."""
    places = [Followed(port, f"bench-{os.getpid()}-{port}") for port in ports]
    found: list[list[list[float]]] = [[] for _ in places]
    async with AsyncExitStack() as stack:
        for place in places:
            for _ in range(subscribers):
                await stack.enter_async_context(place.subscriber())
        await asyncio.sleep(3)
        for i in range(writes + 2):  # the first two are not counted: queries are planned then
            for place, done in zip(places, found, strict=True):
                delays = await place.delays(f"Note {i} of the measure.", subscribers)
                done += [delays] if i >= 2 else []
                await asyncio.sleep(0.5)
    return found


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print, one JSON line for each code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--code", default=".", help="folders, divided by commas")
    parser.add_argument("--subscribers", type=int, default=80)
    parser.add_argument("--writes", type=int, default=10)
    parser.add_argument("--port", type=int, default=8398)
    given = parser.parse_args()
    codes = [Path(each).absolute() for each in given.code.split(",")]
    ports = [given.port + place for place in range(len(codes))]
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder, ExitStack() as stack:
        for code, port in zip(codes, ports, strict=True):
            stack.enter_context(served(code, port, Path(folder) / "log"))
        found = asyncio.run(measure(ports, given.subscribers, given.writes))
    for code, runs in zip(codes, found, strict=True):
        middle = given.subscribers // 2
        figures = {
            name: round(statistics.median(run[place] for run in runs), 1)
            for name, place in (("first_ms", 0), ("median_ms", middle), ("last_ms", -1))
        }
        show(json.dumps({"code": code.name, "subscribers": given.subscribers} | figures))


if __name__ == "__main__":
    main()
