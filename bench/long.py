"""Measures writes of long notes, and of short notes that have long ones near them.

    python -m bench.long [--code ../before,.] [--lengths 200,2000,8000,50000]

For each length a service on an empty folder, with the deterministic embedder, so that what counts
is not the model. A user writes `--many` curated notes of that length about the same few things, one
batch, then as many short ones (150 characters) which have these near them; another user does the
same word for word. Reported: notes a second, and thousands of characters a second of the long ones.
The rate at the shortest length is what the others are compared with."""

import argparse
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

from bench.speed import MANY, REMEMBER, Asker, machine_ms
from bench.start import served

THINGS = "kiln valve roof harbour ledger crate pump meter lantern bridge voucher engine".split()
NAMES = "Halden Moen Kessler Brightwell".split()
DOES = "moves holds opens breaks feeds carries marks covers turns".split()
SHORT = 150
WARM = 12  # batches of short notes before anything is measured
PORT = 8398
LATER = "OPERATION_TIMEOUT"  # of a note that was not written for lack of time


class Texts:
    """Draws texts about a few things, of which no two are the same."""

    def __init__(self) -> None:
        """Begin with the same text at each run."""
        self._random = random.Random(7)

    def draw(self, length: int) -> str:
        """A text of about so many characters."""
        choice, found = self._random.choice, ""
        while len(found) < length:
            found += (
                f"The {choice(THINGS)} of {choice(NAMES)} {choice(DOES)} the {choice(THINGS)} "
                f"at {self._random.randint(1, 12)}:{self._random.randint(10, 59)} beside crate "
                f"{self._random.randint(1, 99_999)}. "
            )
        return found[:length]


def rate(asker: Asker, user: str, notes: list[str], mode: str) -> float:
    """Notes a second of one batch, all of which must be written; what the service had no time for
    is sent again, as a client does."""
    took, left = 0.0, notes
    while left:
        given = {"mode": mode, "notes": [{"content": note} for note in left]}
        took += asker.ask(user, MANY, given)
        errors = [row["error"] for row in asker.data["rememberMany"]["results"]]
        assert all(each is None or each["code"] == LATER for each in errors), errors
        assert None in errors, "a batch that begins with nothing written would never end"
        left = [note for note, error in zip(left, errors, strict=True) if error is not None]
    return round(1000 * len(notes) / took, 1)


def measure(code: Path, length: int, many: int) -> dict[str, Any]:
    """Each rate at one length."""
    texts = Texts()
    found: dict[str, Any] = {"length": length, "machine_ms": machine_ms()}
    with (
        tempfile.TemporaryDirectory() as folder,
        served(code, Path(folder) / "store", PORT, Path(folder) / "log"),
    ):
        asker = Asker(PORT)
        for turn in range(WARM):  # Java compiles, Neo4j plans
            user = f"warm-{turn // 2}"
            rate(asker, user, [texts.draw(SHORT) for _ in range(many)], "CURATED")
            rate(asker, user, [texts.draw(SHORT) for _ in range(many)], "VERBATIM")
        for mode in ("CURATED", "VERBATIM"):
            long = rate(asker, mode, [texts.draw(length) for _ in range(many)], mode)
            short = [rate(asker, mode, [texts.draw(SHORT) for _ in range(many)], mode)]
            one = [asker.ask(mode, REMEMBER, {"content": texts.draw(SHORT)}) for _ in range(20)]
            found[mode] = {
                "long_per_s": long,
                "long_kchars_per_s": round(long * length / 1000, 1),
                "short_beside_per_s": short[0],
                "one_short_beside_ms": round(sorted(one)[10], 1),
            }
    return found


def main() -> None:
    """Parse the command line, measure and print, one JSON line a length and code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--code", default=".", help="folders, divided by commas")
    parser.add_argument("--lengths", default="200,2000,8000,50000")
    parser.add_argument("--many", type=int, default=50)
    given = parser.parse_args()
    os.environ["GRAPHMEM_EMBEDDER"] = "hash"
    for length in map(int, given.lengths.split(",")):
        for code in given.code.split(","):
            print(
                json.dumps({"code": code} | measure(Path(code).resolve(), length, given.many)),
                flush=True,
            )


if __name__ == "__main__":
    main()
