"""Measures how much several services on one Neo4j give: recalls and writes, mixed, through all.

    python -m bench.processes FOLDER [--processes 1,2,4] [--notes 10000] [--seconds 60]

The folder is filled first if it is empty, as `bench.filling` does. One embedded Neo4j serves all
steps. Each step starts so many `graphmem serve` on it, without jobs, and `--clients` in threads of
this process send each request to the next service in turn, as a proxy would: nine recalls, then one
write. Questions and notes are encoded by the real model. What the first part of a step gives,
`--warm-up` seconds, is not counted. Reported for each step: recalls and
writes a second, their median and 95th percentile in milliseconds, and the memory of a service and
of Neo4j, in MB. Everything shares one machine, so what the clients take is taken from the services.
"""

import argparse
import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench.filling import Words, fill, settings_of, users_of
from bench.processors import memory_mb
from bench.speed import HERE, RECALL, REMEMBER, Asker, environment_of, machine_ms, summary
from bench.start import ready_after
from graphmem.app import open_server
from graphmem.server import ServerAddress

WRITE_EACH = 10  # requests, of which one writes


@dataclass
class Mixed:
    """The milliseconds of requests that were counted, by what they did."""

    recalls: list[float] = field(default_factory=list[float])
    writes: list[float] = field(default_factory=list[float])


@contextmanager
def served(address: ServerAddress, data: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A service on this Neo4j, for as long as this is open."""
    environment = environment_of(HERE) | {
        "GRAPHMEM_NEO4J_URI": address.bolt_uri,
        "GRAPHMEM_NEO4J_USER": address.user,
        "GRAPHMEM_NEO4J_PASSWORD": address.password,
        "GRAPHMEM_LOG_LEVEL": "warning",
        "GRAPHMEM_JOBS": "off",
    }
    command = [sys.executable, "-m", "graphmem", "serve", "--port", str(port), "--data", str(data)]
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=HERE, stdout=subprocess.DEVNULL)
    try:
        ready_after(process, port, began)
        yield process
    finally:
        process.terminate()
        process.wait(60)


def ask_all(
    ports: Sequence[int], users: int, clients: int, seconds: float, warm_up: float
) -> Mixed:
    """Send requests to the services in turn for so long. Raises what a client raised."""
    counts_from = time.perf_counter() + warm_up
    until, turn, mixed = counts_from + seconds, count(), Mixed()
    failed: list[BaseException] = []

    def client(number: int) -> None:
        askers, words = [Asker(port) for port in ports], Words(number)
        while time.perf_counter() < until and not failed:
            place = next(turn)
            asker, user = askers[place % len(ports)], f"user{words.random.randrange(users)}"
            writes = place % WRITE_EACH == 0
            given = {"content": words.sentence()} if writes else {"query": words.sentence(8)}
            took = asker.ask(user, REMEMBER if writes else RECALL, given)
            if time.perf_counter() > counts_from:
                (mixed.writes if writes else mixed.recalls).append(took)

    def watched(number: int) -> None:
        try:
            client(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=watched, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return mixed


def told(mixed: Mixed, seconds: float) -> str:
    """Both kinds of requests in a line."""

    def kind(name: str, times: Sequence[float]) -> str:
        figures: Mapping[str, float] = summary(times or [0.0])
        each = f"p50 {figures['p50']:7.1f}, p95 {figures['p95']:7.1f} ms"
        return f"{name} {len(times) / seconds:6.1f} a second, {each}"

    return f"{kind('recalls', mixed.recalls)}; {kind('writes', mixed.writes)}"


async def measure(folder: Path, given: argparse.Namespace) -> None:
    """Print a line for each number of services."""
    data = folder / "store"
    if not data.exists():
        print(f"filled at {await fill(data, given.notes):,.0f} notes/s")
    async with open_server(settings_of(data, given.notes)) as address:
        print(f"machine_ms {machine_ms()}")
        for number in given.processes:
            ports = [given.port + i for i in range(number)]
            with ExitStack() as stack:
                processes = [
                    await asyncio.to_thread(
                        stack.enter_context,
                        served(address, folder / f"service{port}", port),
                    )
                    for port in ports
                ]
                mixed = await asyncio.to_thread(
                    ask_all,
                    ports,
                    users_of(given.notes),
                    given.clients,
                    given.seconds,
                    given.warm_up,
                )
                service = max(sum(memory_mb(process.pid)) for process in processes)
                memory = f"a service {service:,.0f} MB, Neo4j {memory_mb(address.pid)[0]:,.0f} MB"
            print(f"{number} services: {told(mixed, given.seconds)}; {memory}", flush=True)
        print(f"machine_ms {machine_ms()}")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--processes", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2, 4]
    )
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--warm-up", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--port", type=int, default=8_470)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(measure(given.folder, given))


if __name__ == "__main__":
    main()
