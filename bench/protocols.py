"""Measures what a recall takes through GraphQL, REST, MCP and the Python client, in turn.

    python -m bench.protocols --rounds 300

It starts `graphmem serve` on a data folder of its own, or on the store of GRAPHMEM_NEO4J_URI, and
writes the notes of a user. Each question is asked through every protocol, in an order that changes;
all but the client keep one connection that is as plain as can be. Milliseconds: median and 95th
percentile; `ratio` is the median divided by that of GraphQL. The answers differ in size, as they do
in use: REST and the client give whole notes, MCP those fields that a model reads.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

from bench.filling import Words, notes_of
from bench.speed import RECALL, serve, summary
from graphmem.client import Memory

USER: Final = "protocols"
WARM_UP: Final = 100  # rounds


class Plain:
    """One connection that posts JSON."""

    def __init__(self, port: int) -> None:
        """Connect."""
        self._http = HTTPConnection("127.0.0.1", port, timeout=120)

    def post(self, path: str, body: Any) -> Any:
        """The answer. Raises on any error."""
        headers = {"Content-Type": "application/json", "X-Graphmem-User": USER}
        headers["Accept"] = "application/json, text/event-stream"
        self._http.request("POST", path, json.dumps(body), headers)
        response = self._http.getresponse()
        text = response.read()
        if response.status not in (200, 201):
            raise SystemExit(text[:500])
        return json.loads(text)


def protocols_of(port: int, memory: Memory) -> dict[str, Callable[[str], int]]:
    """How each protocol is asked; the number of hits."""
    graphql, rest, mcp = Plain(port), Plain(port), Plain(port)

    def by_graphql(question: str) -> int:
        given = {"query": RECALL, "variables": {"input": {"query": question}}}
        return len(graphql.post("/graphql", given)["data"]["recall"]["hits"])

    def by_rest(question: str) -> int:
        return len(rest.post("/v1/recall", {"query": question})["hits"])

    def by_mcp(question: str) -> int:
        params = {"name": "memory.query", "arguments": {"query_text": question}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return len(mcp.post("/mcp/memory", call)["result"]["structuredContent"]["results"])

    def by_client(question: str) -> int:
        return len(memory.recall(question).hits)

    return {"graphql": by_graphql, "rest": by_rest, "mcp": by_mcp, "client": by_client}


def measure(port: int, notes: int, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds by protocol."""
    words, order = Words(notes), random.Random(1)
    with Memory(f"http://127.0.0.1:{port}", user=USER) as memory:
        texts = [draft.content for draft in notes_of(words, 0, notes)]
        for start in range(0, notes, 250):
            memory.remember_many(texts[start : start + 250], mode="VERBATIM")
        protocols = protocols_of(port, memory)
        times: dict[str, list[float]] = {name: [] for name in protocols}
        for i in range(WARM_UP + rounds):
            question, names = words.sentence(6), list(protocols)
            order.shuffle(names)
            for name in names:
                began = time.perf_counter()
                protocols[name](question)
                if i >= WARM_UP:
                    times[name].append(1000 * (time.perf_counter() - began))
    base = statistics.median(times["graphql"])
    return {
        name: summary(taken) | {"ratio": round(statistics.median(taken) / base, 3)}
        for name, taken in times.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--port", type=int, default=8399)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        process, _ = serve(Path(data), given.port, given.notes)
        try:
            for name, taken in measure(given.port, given.notes, given.rounds).items():
                print(json.dumps({"protocol": name, **taken}))
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
