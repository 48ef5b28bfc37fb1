"""Measures what a service does with notes that make older ones out of date, topic rules and all.

    python -m bench.deciding.service [--kept] [--lives NAME,NAME...] [--code FOLDER]

A service on a new folder gets the older notes of each life and then its newer ones, as one user
says them who gives nothing beside the text. Each pair of the life is asked for by the text of its
older note. Reported for each verdict, of how many pairs: the older note was superseded, or it is in
a conflict with the newer one, or it is seen before the newer one (`outdated first`, where the newer
one is a hit, too). A pair whose newer note became one with another note counts as `one note`.
`write ms`: the median of a newer note."""

import argparse
import json
import statistics
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.deciding.updates import Life, read_lives
from bench.speed import HERE, Asker
from bench.start import served

PORT = 8395
REMEMBER = """mutation R($input: RememberInput!) { remember(input: $input) { note { id }
  affected { id status } } }"""
RECALL = """query Q($input: RecallInput!) { recall(input: $input) { hits { note { id } } } }"""
CONFLICTS = "query { conflicts(first: 200) { notes { id } } }"


def told(asker: Asker, life: Life) -> tuple[Counter[tuple[str, str]], list[float]]:
    """How many pairs of each verdict came to what, and the milliseconds of each newer note."""
    user, counts, times = f"life-{life.name}", Counter[tuple[str, str]](), list[float]()
    old = [_said(asker, user, pair.old)["note"]["id"] for pair in life.pairs]
    new = list[dict[str, Any]]()
    for pair in life.pairs:
        times.append(asker.ask(user, REMEMBER, {"content": pair.new}))
        new.append(asker.data["remember"])
    asker.ask(user, CONFLICTS, {})
    listed = {frozenset(n["id"] for n in each["notes"]) for each in asker.data["conflicts"]}
    for pair, older, answer in zip(life.pairs, old, new, strict=True):
        newer = answer["note"]["id"]
        asker.ask(user, RECALL, {"query": pair.old, "k": 10})
        hits = [hit["note"]["id"] for hit in asker.data["recall"]["hits"]]
        gone = {each["id"] for each in answer["affected"] if each["status"] == "SUPERSEDED"}
        both = older in hits and newer in hits
        seen = {
            "pairs": True,
            "one note": newer in old,
            "superseded": older in gone,
            "conflict": {older, newer} in listed,
            "outdated first": both and hits.index(older) < hits.index(newer),
        }
        counts.update((pair.verdict, name) for name, is_so in seen.items() if is_so)
    return counts, times


def _said(asker: Asker, user: str, text: str) -> dict[str, Any]:
    asker.ask(user, REMEMBER, {"content": text})
    return asker.data["remember"]


def measure(lives: Sequence[Life], code: Path) -> dict[str, object]:
    """What becomes of all pairs of the lives, in a service of the code in this folder."""
    counts, times = Counter[tuple[str, str]](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with served(code, data, PORT, data / "log"):
            asker = Asker(PORT)
            for life in lives:
                one, took = told(asker, life)
                counts.update(one)
                times += took
    found: dict[str, dict[str, int]] = {}
    for (verdict, name), count in sorted(counts.items()):
        found.setdefault(verdict, {})[name] = count
    return {**found, "write ms": round(statistics.median(times), 1)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--lives", default="", help="only these, divided by commas")
    parser.add_argument("--code", type=Path, default=HERE, help="the folder of another checkout")
    given = parser.parse_args()
    named = [name for name in given.lives.split(",") if name]
    lives = [life for life in read_lives(kept=given.kept) if not named or life.name in named]
    print(json.dumps(measure(lives, given.code.absolute()), indent=1))


if __name__ == "__main__":
    main()
