"""Measures how soon subscribers hear of a change.

    python -m bench.subscribers --code ../before,. --subscribers 80 --writes 10
    python -m bench.subscribers --subscribers 100 --users 10

Each folder of `--code` is a checkout of graphmem; a service of each runs, with the embedder `hash`,
on the Neo4j that GRAPHMEM_NEO4J_URI names (a fresh one for measuring). The same number of clients
follows the events of each of `--users` users over WebSocket, and the writes go to the services, and
to their users, in turn. Reported for each: milliseconds from the answer of a write to its event at
the first, the median and the last subscriber, as medians over the writes, and at half and at 95 %
of all; an event may come before the answer. Besides, how many heard what is another user's, and by
how much the service grew for each subscriber, in kB."""

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
from dataclasses import dataclass, field
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
def served(code: Path, port: int, log: Path) -> Iterator[int]:
    """A service of this code on the database of the environment; its process."""
    environment = os.environ | {"PYTHONPATH": str(code), "GRAPHMEM_EMBEDDER": "hash"}
    command = [sys.executable, "-m", "graphmem", "serve", "--port", str(port)]
    began = time.perf_counter()
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command, env=environment, cwd=code, stdout=subprocess.DEVNULL, stderr=errors
        )
    try:
        ready_after(process, port, began)
        yield process.pid
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


@dataclass(kw_only=True)
class Measured:
    """A service with its users, and what was measured of it."""

    process: int
    users: Sequence[Followed]
    delays: list[list[float]] = field(default_factory=list)
    foreign: int = 0
    kilobytes: float = 0.0

    async def write(self, turn: int, subscribers: int) -> list[float]:
        """Write a note of one of the users; the delays of the user's subscribers."""
        writer = self.users[turn % len(self.users)]
        delays = await writer.delays(f"Note {turn} of the measure.", subscribers)
        await asyncio.sleep(0.5)
        heard = {note for note, at in writer.heard.items() if len(at) > subscribers}
        others = (user for user in self.users if user is not writer)
        self.foreign += len(heard) + sum(bool(user.heard) for user in others)
        for user in self.users:
            user.heard.clear()
        return delays


def resident(process: int) -> float:
    """The memory of a process, in kB; 0 where nothing tells it."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return 0.0
    lines = status.read_text("ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def measure(
    places: Sequence[tuple[int, int]], users: int, subscribers: int, writes: int
) -> list[Measured]:
    """The delays of each write, service by service; `places`: ports with processes."""
    found = [
        Measured(
            process=process,
            users=[Followed(port, f"bench-{os.getpid()}-{port}-{user}") for user in range(users)],
        )
        for port, process in places
    ]
    async with AsyncExitStack() as stack:
        for service in found:
            for user in service.users:  # each has a note before its subscribers come
                await user.write("The first note.")
            before = resident(service.process)
            for user in service.users:
                for _ in range(subscribers):
                    await stack.enter_async_context(user.subscriber())
            service.kilobytes = (resident(service.process) - before) / (users * subscribers)
        await asyncio.sleep(3)
        for turn in range(writes + 2):  # the first two are not counted: queries are planned then
            for service in found:
                delays = await service.write(turn, subscribers)
                service.delays += [delays] if turn >= 2 else []
    return found


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print, one JSON line for each code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--code", default=".", help="folders, divided by commas")
    parser.add_argument("--subscribers", type=int, default=80)
    parser.add_argument("--users", type=int, default=1)
    parser.add_argument("--writes", type=int, default=10)
    parser.add_argument("--port", type=int, default=8398)
    given = parser.parse_args()
    codes = [Path(each).absolute() for each in given.code.split(",")]
    ports = [given.port + place for place in range(len(codes))]
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder, ExitStack() as stack:
        processes = [
            stack.enter_context(served(code, port, Path(folder) / "log"))
            for code, port in zip(codes, ports, strict=True)
        ]
        places = list(zip(ports, processes, strict=True))
        found = asyncio.run(measure(places, given.users, given.subscribers, given.writes))
    for code, service in zip(codes, found, strict=True):
        middle = given.subscribers // 2
        figures = {
            name: round(statistics.median(run[place] for run in service.delays), 1)
            for name, place in (("first_ms", 0), ("median_ms", middle), ("last_ms", -1))
        }
        every = sorted(delay for run in service.delays for delay in run)
        for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95)):
            figures[name] = round(every[int(share * (len(every) - 1))], 1)
        figures |= {"foreign": service.foreign, "kilobytes_each": round(service.kilobytes)}
        counts = {"users": given.users, "subscribers": given.users * given.subscribers}
        show(json.dumps({"code": code.name} | counts | figures))


if __name__ == "__main__":
    main()
