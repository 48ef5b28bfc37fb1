"""Measures how soon `graphmem serve` answers, and how soon its first answers come.

    python -m bench.start --code ../before,. --runs 3

Each folder of `--code` is a checkout of graphmem; they take turns, so that what else the machine
does meets all of them alike. Each has a data folder of its own with the same notes, which it fills
first; after that it is left running until what it keeps for later starts is written. Reported for
each run: seconds until `/readyz` says yes; milliseconds of the first, second, tenth (median of the
eighth to the twelfth) and thousandth (median of the last hundred) recall, of the first `remember`,
`entity`, `events`, `notes` and `context`, and of the stop; at the end the medians of each code and
their ratios to the first. `machine_ms` is a fixed piece of work, timed before each run: runs can be
compared only where it is alike.
"""

import argparse
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from bench.speed import MANY, RECALL, REMEMBER, Asker, Sentences, environment_of, machine_ms
from graphmem.server import default_cache_dir

USER = "me"
NOTES = 600
RECALLS = 1_000
NOTE = "id title content entities { id name } links { kind target { id } }"
FIRSTS = {
    "entity": (
        f"query E($input: String!) {{ entity(name: $input) {{ name noteCount summary notes {{ "
        f"{NOTE} }} relations {{ predicate }} }} }}",
        "Priya",
    ),
    "events": ("query V($input: Int!) { events(first: $input) { type summary actor } }", 20),
    "notes": (
        f"query N($input: Int!) {{ notes(first: $input) {{ nodes {{ {NOTE} }} }} }}",
        20,
    ),
    "context": (
        "query C($input: ContextInput!) { context(input: $input) { text tokenCount } }",
        {"task": "Plan the next release with the team"},
    ),
}


@contextmanager
def served(code: Path, data: Path, port: int, log: Path) -> Iterator[float]:
    """A service of this code; the seconds until it was ready. It is stopped in good order."""
    command = [sys.executable, "-m", "graphmem", "serve", "--port", str(port), "--data", str(data)]
    began = time.perf_counter()
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command,
            env=environment_of(code),
            cwd=code,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
    try:
        yield ready_after(process, port, began)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(120)


def ready_after(process: "subprocess.Popen[bytes]", port: int, began: float) -> float:
    """Seconds from `began` until the service is ready."""
    while process.poll() is None and time.perf_counter() - began < 300:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200:
                return time.perf_counter() - began
        except httpx.HTTPError:
            pass
        time.sleep(0.02)
    raise SystemExit("the service did not get ready")


def first_answers(port: int) -> dict[str, float]:
    """Milliseconds of the first answers of a service that has just got ready."""
    asker, sentences = Asker(port), Sentences()

    def recalls(count: int) -> list[float]:
        drawn = [{"query": sentences.draw(), "k": 10} for _ in range(count)]
        return [asker.ask(USER, RECALL, each) for each in drawn]

    first = recalls(12)
    figures = {"recall_1": first[0], "recall_2": first[1]}
    figures["recall_10"] = statistics.median(first[7:])
    figures["remember_1"] = asker.ask(USER, REMEMBER, {"content": sentences.draw()})
    for name, (query, given) in FIRSTS.items():
        figures[f"{name}_1"] = asker.ask(USER, query, given)
    figures["recall_1000"] = statistics.median(recalls(RECALLS)[-100:])
    return figures


def fill(code: Path, data: Path, port: int, log: Path, patience_s: float) -> None:
    """Give the code its notes, and time for what it keeps for its next starts."""
    sentences = Sentences(seed=1)
    with served(code, data, port, log):
        asker = Asker(port)
        for _ in range(NOTES // 100):
            notes = [{"content": sentences.draw()} for _ in range(100)]
            asker.ask(USER, MANY, {"notes": notes})
        known = {"content": "Priya runs the workshop.", "entities": [{"name": "Priya"}]}
        asker.ask(USER, MANY, {"notes": [known]})
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline and not list(default_cache_dir().glob("*.aot")):
            time.sleep(1)


def run(code: Path, data: Path, port: int, log: Path) -> dict[str, float]:
    """One start of this code, with its first answers."""
    figures = {"machine_ms": machine_ms()}
    with served(code, data, port, log) as seconds:
        figures["ready_s"] = seconds
        figures |= first_answers(port)
        ended = time.perf_counter()
    figures["stop_s"] = time.perf_counter() - ended
    return {name: round(value, 1) for name, value in figures.items()}


def medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of each figure."""
    return {name: round(statistics.median(run[name] for run in runs), 1) for name in runs[0]}


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print, one JSON line a run, then the medians and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--code", default=".", help="folders, divided by commas")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--port", type=int, default=8398)
    parser.add_argument("--patience", type=float, default=180, help="seconds after the filling")
    parser.add_argument("--store", type=Path, help="keep the filled stores here for later runs")
    given = parser.parse_args()
    codes = [Path(each).absolute() for each in given.code.split(",")]
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        store = given.store or Path(folder)
        store.mkdir(exist_ok=True)
        places = [store / str(place) for place in range(len(codes))]
        for code, data in zip(codes, places, strict=True):
            if not data.exists():
                fill(code, data, given.port, store / "log", given.patience)
        runs: list[list[dict[str, float]]] = [[] for _ in codes]
        for _ in range(given.runs):
            for code, data, done in zip(codes, places, runs, strict=True):
                done.append(run(code, data, given.port, store / "log"))
                show(json.dumps({"code": code.name} | done[-1]))
    summaries = [medians(done) for done in runs]
    for code, figures in zip(codes, summaries, strict=True):
        ratios: dict[str, Any] = {
            name: round(value / summaries[0][name], 2) for name, value in figures.items()
        }
        show(json.dumps({"code": code.name, "medians": figures, "ratios": ratios}))


if __name__ == "__main__":
    main()
