"""Kills the service or its Neo4j at random moments, and counts what was acknowledged and lost.

    python -m bench.kills --data DIR --rounds 100

Each round eight writers remember notes as fast as they can, half of them word for word, while jobs
run, until after a random time of up to `--longest` seconds of writing one of the two processes gets
SIGKILL.
A service is started again as it was; a killed Neo4j has to be started again by its service. Then
each note whose write was acknowledged in this round must be there (those word for word with their
text), and `graphmem verify` must find nothing; at the end the same once more for all rounds.

Each round is a line of JSON, the last line holds the sums: `acknowledged`, `lost`, `half` (what
`verify` found), `by_hand` (how often it did not come up again by itself).
"""

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from graphmem.server import running_server
from graphmem.server.lockfile import is_alive

WRITERS: Final = 8
READY_S: Final = 300.0
FIRST_S: Final = 60.0  # for the first write after a start, whose queries are planned anew
COLD: Final = 0.2  # of the rounds don't wait for it
CALL_S: Final = 60.0
# Neo4j stays down after five crashes within two minutes, so that one that can't run is not tried
# for ever.
CRASHES, WINDOW_S = 4, 150.0
JOBS: Final = ("maintain_memory", "sweep_decay", "relate_notes", "resolve_duplicates", "move_tiers")
REMEMBER: Final = """mutation R($input: RememberInput!) {
  remember(input: $input) { note { id } } }"""
RUN: Final = "mutation J($name: String!) { runJob(name: $name) { status } }"
NOTE: Final = "query N($id: ID!) { note(id: $id) { content } }"
WORDS: Final = (
    "boat winter ledger copper garden signal Porto bridge Saul window market engine".split()
)


@dataclass
class Service:
    """`graphmem serve` on a data folder, as a process that can be killed."""

    data: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it; `await_ready` waits for it."""
        command = [sys.executable, "-m", "graphmem", "serve", "--port", str(self.port)]
        env = {
            "GRAPHMEM_EMBEDDER": "hash",
            "GRAPHMEM_EXTRACTOR": "rules",
            "GRAPHMEM_WARM_UP": "false",
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--data", str(self.data)],
                env=env | os.environ,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    @property
    def log(self) -> Path:
        """What it says."""
        return self.data.with_name(f"{self.data.name}.log")

    async def await_ready(self, client: httpx.AsyncClient) -> bool:
        """Wait until it serves; False if it ended or is not ready in time."""
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and self.process is not None:
            if self.process.poll() is not None:
                return False
            with suppress(httpx.HTTPError):
                if (await client.get("/readyz")).status_code == 200:
                    return True
            await asyncio.sleep(0.2)
        return False

    def kill(self, victim: str) -> None:
        """End the service or its Neo4j at once."""
        address = running_server(self.data)
        if victim == "service" and self.process is not None:
            self.process.kill()
            self.process.wait()
        elif address is not None:
            os.kill(address.pid, signal.SIGKILL)
            while is_alive(address.pid) and not _is_zombie(address.pid):
                time.sleep(0.01)

    def stop(self) -> None:
        """End it in good order, and at once if that takes too long."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@dataclass
class Written:
    """Notes whose writes were acknowledged: their ids, with the text of those word for word."""

    notes: dict[str, str | None] = field(default_factory=dict)
    refused: int = 0
    jobs: int = 0
    first: asyncio.Event = field(default_factory=asyncio.Event)  # was acknowledged


async def ask(client: httpx.AsyncClient, query: str, **variables: Any) -> Any:
    """The data of an answer; None where there is none."""
    try:
        answer = await client.post("/graphql", json={"query": query, "variables": variables})
        return answer.json().get("data")
    except (httpx.HTTPError, ValueError):
        return None


async def write(
    client: httpx.AsyncClient, name: str, written: Written, ends: asyncio.Event
) -> None:
    """Remember one note after another."""
    number, verbatim = 0, True
    while not ends.is_set():
        number, verbatim = number + 1, not verbatim
        text = f"{name} {number}: {' '.join(random.choices(WORDS, k=12))} {random.random()}."
        given = {"content": text, "mode": "VERBATIM" if verbatim else "CURATED"}
        data = await ask(client, REMEMBER, input=given)
        if data and data["remember"]:
            written.notes[data["remember"]["note"]["id"]] = text if verbatim else None
            written.first.set()
        else:
            written.refused += 1
            await asyncio.sleep(0.1)


async def run_jobs(client: httpx.AsyncClient, written: Written, ends: asyncio.Event) -> None:
    """Run one job after another."""
    while not ends.is_set():
        data = await ask(client, RUN, name=random.choice(JOBS))
        written.jobs += bool(data and data["runJob"])
        await asyncio.sleep(0.2)


async def lost_of(client: httpx.AsyncClient, notes: dict[str, str | None]) -> int:
    """How many of the notes are not there, or have another text."""
    at_once = asyncio.Semaphore(WRITERS)

    async def is_there(note: str, text: str | None) -> bool:
        async with at_once:
            for _ in range(10):  # the first reads after a start may take too long
                if (data := await ask(client, NOTE, id=note)) is not None:
                    found = data["note"]
                    return found is not None and text in (None, found["content"])
                await asyncio.sleep(1)
        return False

    there = await asyncio.gather(*(is_there(*each) for each in notes.items()))
    return there.count(False)


def verify(data: Path) -> int:
    """How many faults `graphmem verify` finds."""
    command = [sys.executable, "-m", "graphmem", "verify", "--json", "--data", str(data)]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=600)
    return sum(each["count"] for each in json.loads(done.stdout)["found"])


async def play(service: Service, client: httpx.AsyncClient, victim: str, after_s: float) -> Written:
    """Write until the victim is killed, `after_s` seconds after the first acknowledged write; in
    every fifth round after the first attempt, while the service is still slow from its start."""
    written, ends = Written(), asyncio.Event()
    writers = [write(client, f"writer {i} {time.time()}", written, ends) for i in range(WRITERS)]
    tasks = [asyncio.create_task(each) for each in (*writers, run_jobs(client, written, ends))]
    with suppress(TimeoutError):
        if random.random() > COLD:
            await asyncio.wait_for(written.first.wait(), FIRST_S)
    await asyncio.sleep(after_s)
    await asyncio.to_thread(service.kill, victim)
    ends.set()
    await asyncio.gather(*tasks)
    return written


class Run:
    """All rounds on one service, and their sums."""

    def __init__(self, service: Service, client: httpx.AsyncClient, longest_s: float) -> None:
        self.service, self.client, self.longest_s = service, client, longest_s
        self.sums = Counter[str]()
        self._everything: dict[str, str | None] = {}
        self._crashes: list[float] = []  # of Neo4j alone, since its service was started

    async def play(self, number: int) -> None:
        """Play a round and print what came of it."""
        now = time.monotonic()
        self._crashes = [at for at in self._crashes if now - at < WINDOW_S]
        victims = ("service", "Neo4j") if len(self._crashes) < CRASHES else ("service",)
        victim, after_s = random.choice(victims), random.uniform(0.2, self.longest_s)
        written = await play(self.service, self.client, victim, after_s)
        began = time.monotonic()
        by_itself = await self._rise(victim)
        ready_s = time.monotonic() - began
        self._everything |= written.notes
        told = {
            "acknowledged": len(written.notes),
            "refused": written.refused,
            "jobs": written.jobs,
            "lost": await lost_of(self.client, written.notes),
            "half": await asyncio.to_thread(verify, self.service.data),
            "by_hand": int(not by_itself),
        }
        self.sums.update({"rounds": 1, f"{victim} killed": 1} | told)
        line = {"round": number, "victim": victim, "after_s": round(after_s, 2)}
        print(json.dumps(line | told | {"ready_s": round(ready_s, 1)}), flush=True)

    async def _rise(self, victim: str) -> bool:
        """Start a killed service, wait, and tell if it came up by itself."""
        if victim == "service":
            self._crashes.clear()
            self.service.start()
        else:
            self._crashes.append(time.monotonic())
        if await self.service.await_ready(self.client):
            return True
        self.service.kill("service")
        self.service.start()
        await self.service.await_ready(self.client)
        return False

    async def finish(self) -> None:
        """Look for every note of all rounds once more, and print the sums."""
        self.sums["lost"] = await lost_of(self.client, self._everything)
        print(json.dumps(self.sums), flush=True)


async def run(service: Service, rounds: int, longest_s: float, seconds: float) -> None:
    """Play so many rounds, or as many as fit into the time, and stop the service."""
    ends = time.monotonic() + seconds
    base = f"http://127.0.0.1:{service.port}"
    service.start()
    try:
        async with httpx.AsyncClient(base_url=base, timeout=CALL_S) as client:
            if not await service.await_ready(client):
                raise SystemExit("the service did not get ready")
            played = Run(service, client, longest_s)
            for number in range(1, rounds + 1):
                if time.monotonic() < ends:
                    await played.play(number)
            await played.finish()
    finally:
        service.stop()


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def main() -> None:
    """Kill, and print what was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="a folder that may be lost")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--longest", type=float, default=5.0, help="seconds of writing, at most")
    parser.add_argument("--seconds", type=float, default=1e9, help="no round begins later")
    given = parser.parse_args()
    service = Service(given.data, free_port())
    asyncio.run(run(service, given.rounds, given.longest, given.seconds))


if __name__ == "__main__":
    main()
