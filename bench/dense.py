"""Measures graphmem on dense notes beside plain ones, in one run and through its GraphQL service.

    python -m bench.dense --notes 2000

A dense note has five sentences, about 110 tokens, six people, six places and one name that all of
them share (a hub). A plain one has a sentence with one name. Both kinds are written in turn,
verbatim and curated, by users of their own, 100 notes a call; then questions about people and
places are asked, with 0, 1 and 2 hops. Milliseconds: median, 95th and 99th percentile. Compare
ratios: the figures of one machine say little about another one. `cpu_ms` is what the processors
worked for a note or a question, in the service and in Neo4j together."""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.processors import processor_s
from bench.speed import Asker, machine_ms, serve, summary

MANY = """mutation M($input: RememberManyInput!) { rememberMany(input: $input) { results {
  error { code } } } }"""
RECALL = (
    """query Q($input: RecallInput!) { recall(input: $input) { hits { score note { id } } } }"""
)
BATCH = 100
HUB = "Meridian"
FIRST = """Anna Boris Clara David Elena Felix Greta Hugo Irene Jakob Karla Leon Maria Nils Olga
    Peter Rosa Simon Tara Viktor Wanda Yusuf""".split()
LAST = """Abel Berger Castell Dorn Ebner Falk Gruber Hansen Ibsen Jansen Keller Lindner Moser Novak
    Olsen Palmer Quist Richter Sommer Thoma Ulrich Vogel Weber""".split()
PLACES = """Berlin Hamburg Lisbon Porto Madrid Vienna Prague Oslo Bergen Turin Milan Geneva Zurich
    Lyon Paris Dublin Leeds York Bristol Cardiff Riga Tallinn Vilnius Warsaw Krakow""".split()
THINGS = """the old harbour|a long project about bridges|the spring exhibition|a broken heating
    system|the annual budget|two new colleagues|a set of maps|the museum archive""".split("|")


class Texts:
    """Draws notes and questions."""

    def __init__(self, seed: int) -> None:
        """Choose the people."""
        self._random = random.Random(seed)
        people = [f"{first} {last}" for first in FIRST for last in LAST]
        self._people = self._random.sample(people, 150)

    def dense(self) -> str:
        """A note of five sentences with 13 names."""
        draw = self._random
        a, b, c, d, e, f = draw.sample(self._people, 6)
        places = draw.sample(PLACES, 6)
        things = [" ".join(thing.split()) for thing in draw.choices(THINGS, k=6)]
        year, days = draw.randint(2010, 2025), draw.randint(3, 90)
        return (
            f"{a} met {b} in {places[0]} to talk about {things[0]} and {things[1]} for {HUB}. "
            f"{c} moved from {places[1]} to {places[2]} in May {year} and works with {d} on"
            f" {things[2]}. After the meeting in {places[3]}, {e} called {f}, who lives in"
            f" {places[4]}, and they agreed on {things[3]}. The plan for {places[5]} was written by"
            f" {a} and checked by {d} before it went to everybody who had asked for {things[4]}."
            f" Nobody but {b} knew that {things[5]} would take {days} more days than {c} had said."
        )

    def plain(self) -> str:
        """A note of one sentence with one name."""
        thing = " ".join(self._random.choice(THINGS).split())
        number = self._random.randint(3, 100_000)
        return f"{self._random.choice(self._people)} wrote {number} words about {thing}."

    def question(self) -> str:
        """A question that goes from one person over a place to another one."""
        person, place = self._random.choice(self._people), self._random.choice(PLACES)
        return f"Who was called by the one who met {person} in {place}?"


def write(asker: Asker, texts: Texts, count: int, process: int) -> dict[str, Any]:
    """Notes a second of each kind and mode, the kinds in turn; medians of the calls."""
    kinds: dict[str, Callable[[], str]] = {"plain": texts.plain, "dense": texts.dense}
    took: dict[tuple[str, str], list[float]] = {}
    worked: dict[tuple[str, str], list[float]] = {}
    for _ in range(max(count // (2 * BATCH), 1)):
        for kind, draw in kinds.items():
            for mode in ("VERBATIM", "CURATED"):
                notes = [{"content": draw()} for _ in range(BATCH)]
                before = processor_s(process)
                call = asker.ask(kind, MANY, {"notes": notes, "mode": mode})
                took.setdefault((kind, mode), []).append(call)
                worked.setdefault((kind, mode), []).append(processor_s(process) - before)
    return {
        f"{kind}_{mode}": {
            "per_s": round(1000 * BATCH / statistics.median(times), 1),
            "cpu_ms": round(1000 * statistics.median(worked[kind, mode]) / BATCH, 1),
        }
        for (kind, mode), times in took.items()
    }


def ask(asker: Asker, questions: Sequence[str], process: int) -> dict[str, dict[str, float]]:
    """The times of the questions for each kind of notes and number of hops, in turn."""
    took: dict[str, list[float]] = {}
    worked: dict[str, float] = {}
    for question in questions:
        for kind in ("plain", "dense"):
            for hops in (0, 1, 2):
                given = {"query": question, "k": 10, "hops": hops, "track": False}
                name, before = f"recall_{kind}_{hops}_hops", processor_s(process)
                took.setdefault(name, []).append(asker.ask(kind, RECALL, given))
                worked[name] = worked.get(name, 0.0) + processor_s(process) - before
    return {
        name: summary(times) | {"cpu_ms": round(1000 * worked[name] / len(times), 1)}
        for name, times in took.items()
    }


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000, help="of each kind")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--port", type=int, default=8398)
    given = parser.parse_args()
    texts = Texts(1)
    figures: dict[str, Any] = {"notes": given.notes, "machine_ms": [machine_ms()]}
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        process, seconds = serve(Path(folder), given.port, given.notes)
        try:
            figures["start_s"] = round(seconds, 1)
            asker, began = Asker(given.port), time.perf_counter()
            figures |= write(asker, texts, given.notes, process.pid)
            figures["write_s"] = round(time.perf_counter() - began, 1)
            for figures_of in ({}, figures):  # the first time for the JVM to compile
                asked = [texts.question() for _ in range(given.questions)]
                figures_of |= ask(asker, asked, process.pid)
        finally:
            process.terminate()
            process.wait(30)
    figures["machine_ms"].append(machine_ms())
    show(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
