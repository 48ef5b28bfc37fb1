"""Measures graphmem's speed on this machine, through its own GraphQL service.

    python -m bench.speed --notes 10000,100000

For each size it fills a data folder of its own with synthetic notes (1,000 a user; 15 words each,
drawn by Zipf from 20,000 words; four audiences; a tenth with a title that others mention; unit
vectors around 50 centres instead of encoded ones, since encoding 100,000 texts says nothing about
graphmem), then starts `graphmem serve` on it and asks over HTTP. Questions are encoded by the real
model. Reported: start to ready, recall with one and with eight clients, the store's part of a
recall, remember and rememberMany with real encoding. Milliseconds, median and 95th percentile.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.app import connect_context, open_server
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.services.actors import open_access
from graphmem.services.remember import remember_many
from graphmem.settings import load_settings

DIMENSION = 384
NOTES_A_USER = 1_000
WORDS = 20_000
RECALL = """query Q($input: RecallInput!) { recall(input: $input) { tookMs hits { score note { id
  content title } via { relationship label } } } }"""
REMEMBER = "mutation R($input: RememberInput!) { remember(input: $input) { note { id } } }"
MANY = """mutation M($input: RememberManyInput!) { rememberMany(input: $input) { results {
  error { code } } } }"""


class Vectors:
    """Stands in for the model while the store is filled: unit vectors around 50 centres."""

    model_id = DEFAULT_MODEL
    dimension = DIMENSION

    def __init__(self) -> None:
        """Draw the centres."""
        self._random = np.random.default_rng(7)
        self._centres = self._random.normal(size=(50, DIMENSION))

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        chosen = self._centres[self._random.integers(0, 50, len(texts))]
        drawn = chosen + 0.8 * self._random.normal(size=(len(texts), DIMENSION))
        return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).tolist()

    async def embed_query(self, text: str) -> list[float]:
        """One vector."""
        return (await self.embed_documents([text]))[0]

    def count_tokens(self, text: str) -> int:
        """An estimate."""
        return len(text) // 4

    async def ready(self) -> None:
        """At once."""

    async def close(self) -> None:
        """Nothing to close."""


class Words:
    """Draws sentences of words by Zipf."""

    def __init__(self, seed: int) -> None:
        """Make the vocabulary."""
        self.random = random.Random(seed)
        syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or")]
        draw = random.Random(1)
        self._words = ["".join(draw.choices(syllables, k=3)) for _ in range(WORDS)]
        self._weights = [1 / rank for rank in range(1, WORDS + 1)]

    def sentence(self, length: int = 15) -> str:
        """A sentence."""
        words = self.random.choices(self._words, self._weights, k=length)
        return " ".join(words).capitalize() + "."


def notes_of(words: Words, user: int, count: int) -> list[NoteDraft]:
    """A user's notes: in four audiences, a tenth with a title, three tenths naming such a title."""
    titles = [f"{words.sentence(2)[:-1].title()} {user}" for _ in range(count // 10)]
    drafts = []
    for i in range(count):
        text = words.sentence()
        if i % 10 in (3, 5, 7):
            text = f"{text} See {words.random.choice(titles)}."
        domain, visibility = (("work/sales", None), ("work/code", None), ("home", None))[i % 3]
        if i % 20 == 0:
            visibility = Visibility.PRIVATE
        title = titles[i // 10] if i % 10 == 0 else None
        drafts.append(NoteDraft(content=text, title=title, domain=domain, visibility=visibility))
    return drafts


async def fill(data: Path, total: int) -> float:
    """Fill the folder's store; notes a second, encoding not counted."""
    settings = load_settings({"data": data, "neo4j_heap": "2g", "neo4j_page_cache": "1g"})
    words, began = Words(total), time.perf_counter()
    async with (
        open_server(settings) as address,
        connect_context(settings, Vectors(), address, patience_s=60) as context,
    ):
        for user in range(total // NOTES_A_USER):
            access = await open_access(context, f"user{user}", None, register=True)
            drafts = notes_of(words, user, NOTES_A_USER)
            for start in range(0, len(drafts), 500):
                batch = [(draft, WriteMode.VERBATIM) for draft in drafts[start : start + 500]]
                await remember_many(context, access, batch)
    return total / (time.perf_counter() - began)


def serve(data: Path, port: int) -> tuple[subprocess.Popen[bytes], float]:
    """Start the service; the process and the seconds until it was ready."""
    began = time.perf_counter()
    environment = os.environ | {
        "GRAPHMEM_NEO4J_HEAP": "2g",
        "GRAPHMEM_NEO4J_PAGE_CACHE": "1g",
        "GRAPHMEM_LOG_LEVEL": "warning",
    }
    command = [sys.executable, "-m", "graphmem", "serve", "--port", str(port), "--data", str(data)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    while time.perf_counter() - began < 180:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=2).status_code == 200:
                return process, time.perf_counter() - began
        except httpx.HTTPError:
            pass
        time.sleep(0.05)
    process.kill()
    raise SystemExit("the service did not get ready")


class Asker:
    """Speaks GraphQL and takes the time."""

    def __init__(self, port: int) -> None:
        """Open connections."""
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120)

    def ask(self, user: str, query: str, given: dict[str, Any]) -> float:
        """Milliseconds of one operation. Raises on any error."""
        began = time.perf_counter()
        response = self._http.post(
            "/graphql",
            json={"query": query, "variables": {"input": given}},
            headers={"X-Graphmem-User": user},
        )
        took = 1000 * (time.perf_counter() - began)
        if response.status_code != 200 or "errors" in response.json():
            raise SystemExit(response.text[:500])
        return took


def summary(times: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    ordered = sorted(times)
    return {
        "p50": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
    }


def recalls(asker: Asker, users: int, count: int, clients: int) -> dict[str, float]:
    """Recall `count` different questions of random users with some clients at once."""
    words = Words(clients)
    jobs = [(f"user{words.random.randrange(users)}", words.sentence(8)) for _ in range(count)]

    def one(job: tuple[str, str]) -> float:
        return asker.ask(job[0], RECALL, {"query": job[1], "k": 10})

    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = list(pool.map(one, jobs))
    return summary(times) | {"per_s": round(count / (time.perf_counter() - began), 1)}


async def store_part(data: Path, users: int) -> dict[str, float]:
    """The two reads of the graph in a recall, beside the running service."""
    from graphmem.ai.analysis import analyse
    from graphmem.services import recall
    from graphmem.store import recall as store
    from graphmem.store.keywords import lucene_query

    words, times = Words(5), []
    settings, vectors = load_settings({"data": data}), Vectors()
    async with (
        open_server(settings) as address,
        connect_context(settings, vectors, address) as context,
    ):
        for _ in range(120):
            user = f"user{words.random.randrange(users)}"
            access = await open_access(context, user, None)
            question = recall.Question(query=words.sentence(8))
            bounds, audiences = recall.bounds_of(access, question, context.clock())
            vector = await vectors.embed_query(question.query)
            lucene = lucene_query(analyse(question.query), audiences, user)
            began = time.perf_counter()
            found, _ = await store.candidates(context.graph, bounds, vector, lucene, [])
            seeds = [c.id for c in sorted(found, key=lambda c: -c.similarity)[:20]]
            await store.neighbourhood(context.graph, bounds, notes=seeds, named=[])
            times.append(1000 * (time.perf_counter() - began))
    return summary(times[20:])


def writes(asker: Asker) -> dict[str, Any]:
    """One curated note at a time, and batches of 200 short notes in both modes."""
    words = Words(9)
    one = [asker.ask("user0", REMEMBER, {"content": words.sentence()}) for _ in range(100)]
    figures: dict[str, Any] = {"remember": summary(one)}
    for mode, user in (("VERBATIM", "user1"), ("CURATED", "user2")):
        batches = []
        for _ in range(5):
            notes = [{"content": words.sentence()} for _ in range(200)]
            batches.append(asker.ask(user, MANY, {"notes": notes, "mode": mode}))
        figures[f"rememberMany_{mode}_per_s"] = round(200_000 / statistics.median(batches), 0)
    return figures


def measure(total: int, port: int, store: Path | None) -> dict[str, Any]:
    """Everything at one size, on a store that is filled first unless `store` holds it already."""
    users = total // NOTES_A_USER
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        data = (store or Path(folder)) / str(total)
        figures: dict[str, Any] = {"notes": total}
        if not data.exists():
            figures["fill_notes_per_s"] = round(asyncio.run(fill(data, total)), 0)
        process, seconds = serve(data, port)
        try:
            figures["start_s"] = round(seconds, 1)
            asker = Asker(port)
            recalls(asker, users, 400, 2)  # until the JVM has compiled what it runs
            figures["recall_1_client"] = recalls(asker, users, 200, 1)
            figures["recall_8_clients"] = recalls(asker, users, 400, 8)
            figures["store_part"] = asyncio.run(store_part(data, users))
            figures |= writes(asker)
        finally:
            process.terminate()
            process.wait(30)
    return figures


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print, one JSON line a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", default="10000,100000")
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument("--store", type=Path, help="keep the filled stores here for later runs")
    given = parser.parse_args()
    for total in given.notes.split(","):
        show(json.dumps(measure(int(total), given.port, given.store)))


if __name__ == "__main__":
    main()
