"""Measures graphmem's speed on this machine, through its own GraphQL service.

    python -m bench.speed --notes 10000,100000,1000000 [--code ../before,.]

Each folder of `--code` is a checkout of graphmem; they take turns. For each size it fills a data
folder of its own (see `filling`), then starts `graphmem serve` on it, without the jobs, and asks
over HTTP. Questions are encoded by the real model. Reported: start to ready; recall with one and
with eight clients; the floor of a recall on the same store (encoding the question, one gated vector
search and one full-text search; always that of this checkout), and how many times that a recall
takes; remember and rememberMany with real encoding, forget, and a look at the service's health.
Milliseconds: median, 95th and 99th percentile. `machine_ms` is a fixed piece of work, timed before
and after: two runs can be compared only where it is alike. `cpu_ms` is what the processors worked
for one, in the service and in Neo4j together: it can be compared on a busy machine, too.
"""

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.filling import Vectors, Words, settings_of, users_of
from bench.processors import processor_s
from graphmem.ai.embedder import DEFAULT_MODEL, Embedder
from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server
from graphmem.language.analysis import analyse
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.store import recall as store
from graphmem.store.keywords import lucene_queries

RECALL = """query Q($input: RecallInput!) { recall(input: $input) { tookMs hits { score note { id
  content title } via { relationship label } } } }"""
REMEMBER = "mutation R($input: RememberInput!) { remember(input: $input) { note { id } } }"
WORDS = """UNWIND $lucene AS lucene
CALL db.index.fulltext.queryNodes('note_text', lucene, {limit: 200}) YIELD node, score
WHERE node.audience IN $audiences RETURN collect(node.id) AS found"""
HERE = Path(__file__).parent.parent
FILL = """import asyncio, pathlib, sys, bench.filling
print(asyncio.run(bench.filling.fill(pathlib.Path(sys.argv[1]), int(sys.argv[2]))))"""
# Recalls and clients before those that count. With eight the processors are busy, and the JVM is
# late to compile what it runs; with one it catches up.
WARM_UP = ((2_000, 8), (600, 1), (800, 8), (300, 1))
FLOORS = 600  # of the floor
FORGET = "mutation F($input: ID!) { forget(id: $input, confirm: true) { forgotten } }"
MANY = """mutation M($input: RememberManyInput!) { rememberMany(input: $input) { results {
  error { code } } } }"""


def serve(
    data: Path, port: int, total: int, code: Path = HERE, embedder: str | None = None
) -> tuple[subprocess.Popen[bytes], float]:
    """Start the service of a checkout, perhaps with another embedder; the process and the seconds
    until it was ready."""
    began = time.perf_counter()
    settings = settings_of(data, total)
    environment = environment_of(code) | {
        "GRAPHMEM_NEO4J_HEAP": settings.neo4j_heap,
        "GRAPHMEM_NEO4J_PAGE_CACHE": settings.neo4j_page_cache,
        "GRAPHMEM_LOG_LEVEL": "warning",
        # On a kept store all jobs would catch up beside what is measured, for minutes.
        "GRAPHMEM_JOBS": "off",
    }
    if embedder is not None:
        environment["GRAPHMEM_EMBEDDER"] = embedder
    command = [sys.executable, "-m", "graphmem", "serve", "--port", str(port), "--data", str(data)]
    process = subprocess.Popen(command, env=environment, cwd=code, stdout=subprocess.DEVNULL)
    while time.perf_counter() - began < 180:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=2).status_code == 200:
                return process, time.perf_counter() - began
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    process.kill()
    raise SystemExit("the service did not get ready")


def environment_of(code: Path) -> dict[str, str]:
    """The environment of a process that runs a checkout."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join((str(code), os.environ.get("PYTHONPATH", "")))
    }


def fill_by(code: Path, data: Path, total: int) -> float:
    """Have a checkout fill a store as its own `bench.filling` does; notes a second."""
    command = [sys.executable, "-c", FILL, str(data), str(total)]
    done = subprocess.run(
        command,
        env=environment_of(code),
        cwd=code,
        stdout=subprocess.PIPE,
        check=True,
        timeout=7_200,
    )
    return float(done.stdout.split()[-1])


class Asker(threading.local):
    """Speaks GraphQL and takes the time; one connection a thread. As plain as can be, since it
    shares the processors with what it measures."""

    def __init__(self, port: int) -> None:
        """Connect."""
        self._http = HTTPConnection("127.0.0.1", port, timeout=120)
        self.data: Any = None  # of the last answer

    def ask(self, user: str, query: str, given: dict[str, Any] | str) -> float:
        """Milliseconds of one operation. Raises on any error."""
        body = json.dumps({"query": query, "variables": {"input": given}})
        headers = {"Content-Type": "application/json", "X-Graphmem-User": user}
        began = time.perf_counter()
        self._http.request("POST", "/graphql", body, headers)
        response = self._http.getresponse()
        text = response.read()
        took = 1000 * (time.perf_counter() - began)
        if response.status != 200 or "errors" in json.loads(text):
            raise SystemExit(text[:500])
        self.data = json.loads(text)["data"]
        return took

    def is_alive(self, path: str = "/livez") -> float:
        """Milliseconds of a look at the service's health."""
        began = time.perf_counter()
        self._http.request("GET", path)
        self._http.getresponse().read()
        return 1000 * (time.perf_counter() - began)


def machine_ms() -> float:
    """Milliseconds that this machine takes now for a fixed piece of work; the median of some."""
    times = []
    for _ in range(15):
        began = time.perf_counter()
        sum(n * n for n in range(200_000))
        times.append(1000 * (time.perf_counter() - began))
    return round(statistics.median(times), 1)


def summary(times: Sequence[float]) -> dict[str, float]:
    """Median, 95th and 99th percentile."""
    ordered = sorted(times)
    shares = {"p95": 0.95, "p99": 0.99}
    return {"p50": round(statistics.median(ordered), 1)} | {
        name: round(ordered[int(share * (len(ordered) - 1))], 1) for name, share in shares.items()
    }


class Worked:
    """Takes what the processors worked for each of some operations."""

    def __init__(self, *processes: int) -> None:
        """Begin to count; `processes`: what serves."""
        self._processes = processes
        self._before = self._now()

    def _now(self) -> float:
        return sum(map(processor_s, self._processes))

    def each(self, count: int) -> dict[str, float]:
        """Milliseconds for each of this many operations."""
        return {"cpu_ms": round(1000 * (self._now() - self._before) / count, 1)}


def recalls(asker: Asker, users: int, count: int, clients: int, process: int) -> dict[str, float]:
    """Recall `count` different questions of random users with some clients at once."""
    words = Words(clients)
    jobs = [(f"user{words.random.randrange(users)}", words.sentence(8)) for _ in range(count)]

    def one(job: tuple[str, str]) -> float:
        return asker.ask(job[0], RECALL, {"query": job[1], "k": 10})

    worked, began = Worked(process), time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = list(pool.map(one, jobs))
    per_s = round(count / (time.perf_counter() - began), 1)
    return summary(times) | {"per_s": per_s} | worked.each(count)


async def floor(data: Path, total: int, process: int) -> dict[str, dict[str, float]]:
    """What no recall can be faster than, beside the service: with one client and with eight."""
    vectors, figures = Vectors(), {}
    async with (
        open_server(settings_of(data, total)) as address,
        connect_context(settings_of(data, total), vectors, address) as context,
    ):
        encoder = create_embedder(DEFAULT_MODEL)
        await encoder.ready()
        users = users_of(total)
        await _floors(
            context, encoder, [await _asked(context, vectors.words, users) for _ in range(FLOORS)]
        )
        asked = [await _asked(context, vectors.words, users) for _ in range(360)]
        worked = Worked(process, os.getpid())
        figures["floor_1_client"] = summary(await _floors(context, encoder, asked[:200]))
        figures["floor_1_client"] |= worked.each(200)
        parts = [asked[200 + 20 * client : 220 + 20 * client] for client in range(8)]
        times = await asyncio.gather(*(_floors(context, encoder, part) for part in parts))
        figures["floor_8_clients"] = summary([ms for part in times for ms in part])
        await encoder.close()
    return figures


Asked = tuple[store.Bounds, str, list[str]]


async def _asked(context: Context, words: Words, users: int) -> Asked:
    """A question of some user: what may be read, its text, its words."""
    access = await open_access(context, f"user{words.random.randrange(users)}", None)
    question = RecallRequest(query=words.sentence(8))
    bounds, audiences = recall.bounds_of(access, question, context.clock())
    return bounds, question.query, lucene_queries(analyse(question.query), audiences)


async def _floors(context: Context, encoder: Embedder, asked: Sequence[Asked]) -> list[float]:
    times = []
    for bounds, text, lucene in asked:
        began = time.perf_counter()
        vector = await encoder.embed_query(text)
        await store.find_nearest(context.graph, bounds, [vector], store.VECTOR_LIMIT)
        given = {"lucene": lucene, "audiences": list(bounds.audiences)}
        await context.graph._driver.execute_query(WORDS, given, routing_="r")
        times.append(1000 * (time.perf_counter() - began))
    return times


def writes(asker: Asker, users: int, process: int) -> dict[str, Any]:
    """One curated note at a time, and batches of 200 short notes in both modes."""
    sentence = Sentences().draw  # others each time: told again, none is new

    def writer() -> str:  # another each time: a kept store must not grow in one place
        return f"user{random.randrange(users)}"

    # The first ones are for the JVM to compile what it runs.
    one, forgotten, worked = [], [], Worked(process)
    for place in range(1_000):
        if place == 500:
            worked = Worked(process)
        user = writer()
        one.append(asker.ask(user, REMEMBER, {"content": sentence()}))
        forgotten.append((user, asker.data["remember"]["note"]["id"]))
    figures: dict[str, Any] = {"remember": summary(one[500:]) | worked.each(500)}
    times = [asker.ask(user, FORGET, note) for user, note in forgotten]
    figures["forget"] = summary(times[500:])
    figures["livez"] = summary([asker.is_alive() for _ in range(200)])
    for mode in ("VERBATIM", "CURATED"):
        batches = []
        for _ in range(8):
            notes = [{"content": sentence()} for _ in range(200)]
            batches.append(asker.ask(writer(), MANY, {"notes": notes, "mode": mode}))
        figures[f"rememberMany_{mode}_per_s"] = round(200_000 / statistics.median(batches[3:]), 0)
    return figures


class Sentences:
    """Draws sentences in which each word follows another as it does somewhere in the example diary:
    new ones, with as many names and as many tokens as a real one has."""

    def __init__(self, seed: int | None = None) -> None:
        """Read the diary."""
        folder = Path(__file__).parent.parent / "examples" / "diary"
        files = [path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))]
        text = " ".join(file.split("---\n", 2)[-1] for file in files)
        self._random = random.Random(seed)
        self._first: list[str] = []
        self._next: dict[str, list[str]] = defaultdict(list)
        for sentence in re.findall(r"[A-Z][^.!?]+[.!?]", text):
            words = sentence.split()
            self._first.append(words[0])
            for one, other in pairwise(words):
                self._next[one].append(other)

    def draw(self) -> str:
        """A sentence of 8 to 25 words."""
        while True:
            words = [self._random.choice(self._first)]
            while len(words) < 30 and (more := self._next.get(words[-1])):
                words.append(self._random.choice(more))
            if 8 <= len(words) <= 25:
                return " ".join(words)


@pytest.mark.feature("DAEM-37", "DAEM-38")  # with --notes 100,10000,100000
def measure(total: int, port: int, store: Path, code: Path) -> dict[str, Any]:
    """Everything at one size, on a store that is filled first unless `store` holds it already."""
    users = users_of(total)
    data = store / str(total) if code == HERE else store / code.name / str(total)
    figures: dict[str, Any] = {"code": code.name, "notes": total, "machine_ms": [machine_ms()]}
    if not data.exists():
        figures["fill_notes_per_s"] = round(fill_by(code, data, total), 0)
    process, seconds = serve(data, port, total, code)
    try:
        figures["start_s"] = round(seconds, 1)
        asker = Asker(port)
        for count, clients in WARM_UP:
            recalls(asker, users, count, clients, process.pid)
        figures["recall_1_client"] = recalls(asker, users, 200, 1, process.pid)
        figures["recall_8_clients"] = recalls(asker, users, 400, 8, process.pid)
        if code == HERE:
            figures |= asyncio.run(floor(data, total, process.pid))
            for clients in ("1_client", "8_clients"):
                over = figures[f"recall_{clients}"]["p50"] / figures[f"floor_{clients}"]["p50"]
                figures[f"recall_to_floor_{clients}"] = round(over, 2)
            cpu = [figures[f"{what}_1_client"]["cpu_ms"] for what in ("recall", "floor")]
            figures["recall_to_floor_cpu"] = round(cpu[0] / cpu[1], 2) if cpu[1] else None
        figures |= writes(asker, users, process.pid)
    finally:
        process.terminate()
        process.wait(300)  # with a million notes Java is ended only after 30 s
    figures["machine_ms"].append(machine_ms())
    return figures


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print, one JSON line a size and checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", default="10000,100000")
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument("--store", type=Path, help="keep the filled stores here for later runs")
    parser.add_argument("--code", default=str(HERE), help="folders, divided by commas")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        for total in given.notes.split(","):
            for code in given.code.split(","):
                store = given.store or Path(folder)
                made = measure(int(total), given.port, store, Path(code).resolve())
                show(json.dumps(made))


if __name__ == "__main__":
    main()
