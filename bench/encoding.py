"""Measures the local embedding model on this machine: its start, one question, and many notes.

    python -m bench.encoding [--embedder NAME] [--rounds 5]

`start_s` is from nothing imported to the first vector, `rss_mb` the memory of the process at the
end. A question has some 12 tokens, notes have some 25 or 110; `per_s` is the median of the rounds,
in each of which 200 notes are given at once. Only runs side by side can be compared.
"""

import argparse
import asyncio
import json
import random
import statistics
import time
from pathlib import Path

WORDS = (
    "the plan for moving billing database to new cluster was approved by team after long talk about"
    " cost and risk so Alice will write summary before Friday while Bob keeps old server running"
).split()
NOTES = 200  # of a round
QUESTIONS = 40


def sentence(randomly: random.Random, words: int) -> str:
    """Some words; each is about one token."""
    return " ".join(randomly.choice(WORDS) for _ in range(words)) + "."


def memory_mb() -> int | None:
    """What this process holds in memory; None where the system doesn't tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS")), None)


async def measure(name: str | None, rounds: int) -> dict[str, float | int | None]:
    """The figures of one model."""
    began = time.perf_counter()
    from graphmem.ai.embedder import DEFAULT_MODEL
    from graphmem.ai.embedders import create_embedder

    embedder = create_embedder(name or DEFAULT_MODEL, cache_size=0)
    await embedder.embed_query("What was decided?")
    figures: dict[str, float | int | None] = {"start_s": round(time.perf_counter() - began, 2)}
    randomly = random.Random(7)
    times: list[float] = []
    rates: dict[int, list[float]] = {25: [], 110: []}
    for _ in range(rounds):
        for _ in range(QUESTIONS):
            asked = time.perf_counter()
            await embedder.embed_query(sentence(randomly, 9))
            times.append(1000 * (time.perf_counter() - asked))
        for tokens, rate in rates.items():
            notes = [sentence(randomly, tokens - 3) for _ in range(NOTES)]
            begun = time.perf_counter()
            await embedder.embed_documents(notes)
            rate.append(NOTES / (time.perf_counter() - begun))
    await embedder.close()
    ordered = sorted(times)
    return figures | {
        "question_ms_p50": round(statistics.median(ordered), 1),
        "question_ms_p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        **{f"notes_of_{n}_per_s": round(statistics.median(each)) for n, each in rates.items()},
        "rss_mb": memory_mb(),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", help="a model or its folder; none: the default one")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(given.embedder, given.rounds))))


if __name__ == "__main__":
    main()
