"""Measures how many tokens the tools of MCP answer with by default, for a user with many notes.

    python -m bench.answers --notes 10000

It starts `graphmem serve` on a data folder of its own, or on the store of GRAPHMEM_NEO4J_URI, and
writes notes of one user: short ones, and each twentieth long, as in use. Each tool that reads is
called with drawn arguments and no token budget. Tokens are counted by the tokenizer of the default
embedding model, of the text that a model would read, and estimated as the service does: median,
95th percentile and most.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.filling import Words, notes_of
from bench.protocols import USER, Plain
from bench.speed import serve
from graphmem.ai.embedders import create_embedder
from graphmem.client import Memory
from graphmem.mcp.answers import tokens_of

LONG: Final = 20  # each such note is long
REPEATED: Final = 40  # times that its text is longer
CALLS: Final = 40  # of each tool


def fill(port: int, words: Words, notes: int) -> list[str]:
    """Write the notes; the ids of some of them."""
    texts = [draft.content for draft in notes_of(words, 0, notes)]
    texts = [t * REPEATED if i % LONG == 0 else t for i, t in enumerate(texts)]
    ids = []
    with Memory(f"http://127.0.0.1:{port}", user=USER) as memory:
        for start in range(0, notes, 250):
            made = memory.remember_many(texts[start : start + 250], mode="VERBATIM")
            ids += [each.note_id for each in made if each.note_id][:5]
    return ids


def calls(words: Words, ids: list[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Endpoint, tool and arguments."""
    for i in range(CALLS):
        text, id = words.sentence(6), ids[i * 7 % len(ids)]
        yield "memory", "memory.query", {"query_text": text, "k": 10 if i % 2 else 100}
        yield "memory", "memory_search", {"query": text, "min_score": -1.0, "limit": 100}
        yield "memory", "memory.get_context", {"task_description": text}
        yield "memory", "memory.get", {"note_id": id}
        yield "memory", "memory.list", {}
        yield "memory", "memory.entity", {"name": words.sentence(1).strip(".")}
        yield "memory", "memory.history", {}
        yield "memory", "memory.stats", {}
        yield "memory", "memory.core", {}
        yield "memory", "memory.search_agents", {"topic": text}
        yield "orchestrator", "agent.status", {}
        yield "orchestrator", "agent.route", {"task_description": text}
        yield "commons", "commons.query", {"topic": text}
        yield "commons", "commons.find_skills", {"search": text}


def measure(port: int, notes: int) -> dict[str, list[tuple[int, int]]]:
    """For each tool: tokens as counted and as estimated. An error is an answer, too."""
    words, http = Words(notes), Plain(port)
    ids, counter = fill(port, words, notes), create_embedder("all-MiniLM-L6-v2")
    found: dict[str, list[tuple[int, int]]] = {}
    for endpoint, tool, given in calls(words, ids):
        params = {"name": tool, "arguments": given}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        text = http.post(f"/mcp/{endpoint}", call)["result"]["content"][0]["text"]
        sizes = (counter.count_tokens(text), tokens_of(text))
        found.setdefault(tool, []).append(sizes)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--port", type=int, default=8398)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        process, _ = serve(Path(data), given.port, given.notes)
        try:
            found = measure(given.port, given.notes)
            every = [each for sizes in found.values() for each in sizes]
            for tool, sizes in (*found.items(), ("all", every)):
                print(json.dumps({"tool": tool, "calls": len(sizes), **summary(sizes)}))
        finally:
            process.terminate()
            process.wait()


def summary(sizes: list[tuple[int, int]]) -> dict[str, dict[str, float]]:
    """Median, 95th percentile and most, counted and estimated."""
    told = {}
    for name, taken in zip(("counted", "estimated"), zip(*sizes, strict=True), strict=True):
        p95 = statistics.quantiles(taken, n=20)[-1]
        told[name] = {"p50": statistics.median(taken), "p95": p95, "most": max(taken)}
    return told


if __name__ == "__main__":
    main()
