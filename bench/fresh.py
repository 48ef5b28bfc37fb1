"""Measures what a newcomer feels: a service on an empty folder is filled, and asked at once.

    python -m bench.fresh --data DIR [--sets musique,locomo] [--code ../before,.] [--starts 3]

`--data` as in `bench/benchmarks.py`. For each start and each set: a service on a new folder, with
its jobs as they are by default, gets the notes of the set word for word, and is asked its questions
right after, twice: in the first round Java still compiles what it runs. Then Neo4j forgets its
plans (`db.clearQueryCaches`), the questions are asked once so that they are planned, and once more.
Reported: milliseconds of a recall, median and 95th percentile, of the first round, of the second,
and after the clearing, and of a curated `remember`; and the ratio of the medians of the second and
the last round, which have plans of another age and nothing else between them. What each folder of
`--code` gives is measured in turn."""

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from neo4j import GraphDatabase

from bench.benchmarks import notes_of, questions_of, sets_in
from bench.speed import MANY, RECALL, REMEMBER, Asker, machine_ms
from bench.start import served
from graphmem.server.lockfile import running_server

FIELDS = ("content", "title", "externalId", "speaker", "episode", "occurredAt", "relations")
BATCH = 100
MOST = 150  # questions of a set that are asked
WRITES = 20
PORT = 8397


def fill(asker: Asker, data: Path, name: str) -> None:
    """Give the service all notes of a set, each user's to that user."""
    rows = notes_of(data, name)
    for user in dict.fromkeys(row["user"] for row in rows):
        own = [row for row in rows if row["user"] == user]
        for start in range(0, len(own), BATCH):
            notes = [
                {f: row[f] for f in FIELDS if row.get(f)} for row in own[start : start + BATCH]
            ]
            asker.ask(f"fresh-{user}", MANY, {"mode": "VERBATIM", "notes": notes})


def recalls(asker: Asker, data: Path, name: str) -> list[float]:
    """Milliseconds of each recall."""
    asked = questions_of(data, name)[:MOST]
    given = {"k": 10, "track": False}
    return [asker.ask(f"fresh-{q.user}", RECALL, {"query": q.text, **given}) for q in asked]


def writes(asker: Asker, data: Path, name: str, part: int) -> list[float]:
    """Milliseconds of curated writes, of texts that no other call writes."""
    user = questions_of(data, name)[0].user
    told = [
        f"On shelf {part}-{i} of the Halden store lies the spare key {i}." for i in range(WRITES)
    ]
    return [asker.ask(f"fresh-{user}", REMEMBER, {"content": text}) for text in told]


def forget_plans(data: Path) -> None:
    """Have Neo4j forget every plan."""
    address = running_server(data)
    assert address is not None
    auth = (address.user, address.password)
    with GraphDatabase.driver(address.bolt_uri, auth=auth) as driver:
        driver.execute_query("CALL db.clearQueryCaches()")


def figures(times: Sequence[float]) -> list[float]:
    """Median and 95th percentile."""
    ordered = sorted(times)
    return [round(statistics.median(ordered), 1), round(ordered[int(0.95 * (len(ordered) - 1))], 1)]


def run(code: Path, data: Path, name: str) -> dict[str, object]:
    """One start on an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        store, log = Path(folder) / "store", Path(folder) / "log"
        with served(code, store, PORT, log):
            asker = Asker(PORT)
            fill(asker, data, name)
            first, first_writes = recalls(asker, data, name), writes(asker, data, name, 0)
            fresh, fresh_writes = recalls(asker, data, name), writes(asker, data, name, 1)
            forget_plans(store)
            recalls(asker, data, name)
            writes(asker, data, name, 2)
            later, later_writes = recalls(asker, data, name), writes(asker, data, name, 3)
    ratio = statistics.median(fresh) / statistics.median(later)
    return {
        "first_recall_ms": figures(first),
        "recall_ms": figures(fresh),
        "after_clearing_ms": figures(later),
        "ratio": round(ratio, 2),
        "first_remember_ms": figures(first_writes),
        "remember_ms": figures(fresh_writes),
        "remember_after_ms": figures(later_writes),
    }


def measured(
    codes: Sequence[Path], data: Path, sets: Sequence[str], starts: int
) -> Iterator[dict[str, object]]:
    """Each start of each set of each code."""
    for number in range(starts):
        for name in sets:
            for code in codes:
                began = machine_ms()
                yield {
                    "code": str(code),
                    "set": name,
                    "start": number,
                    "machine_ms": round(began, 1),
                    **run(code.resolve(), data, name),
                }


def main() -> None:
    """Parse the command line, measure and print, one JSON line a start."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", help="separated by commas; all that the folder has")
    parser.add_argument("--code", default=".", help="folders, divided by commas")
    parser.add_argument("--starts", type=int, default=3)
    given = parser.parse_args()
    sets = given.sets.split(",") if given.sets else sets_in(given.data)
    codes = [Path(code) for code in given.code.split(",")]
    for row in measured(codes, given.data, sets, given.starts):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
