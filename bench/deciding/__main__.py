"""Measures deciding on labelled pairs of notes: how often what differs is merged or superseded, and
how often what belongs together is not.

    python -m bench.deciding [--embedder all-MiniLM-L6-v2] [--show]

Each line of dev.tsv and test.tsv is a pair, written before the comparison was: kind, verdict, old
note, new note. The comparison was made with dev.tsv; test.tsv only measures it."""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from graphmem.ai.embedder import create_embedder
from graphmem.domain.comparison import compare

FOLDER = Path(__file__).parent
MERGES = {"SAME", "EXTENDS"}


@dataclass(frozen=True)
class Pair:
    """Two notes with the verdict that a person gave."""

    kind: str
    verdict: str
    old: str
    new: str


def pairs_of(split: str) -> list[Pair]:
    """The pairs of `dev` or `test`."""
    lines = (FOLDER / f"{split}.tsv").read_text(encoding="utf-8").splitlines()
    return [Pair(*line.split("\t")) for line in lines]


async def similarities(pairs: Iterable[Pair], embedder: str) -> list[float]:
    """The cosine of each pair."""
    model = create_embedder(embedder)
    texts = [text for pair in pairs for text in (pair.old, pair.new)]
    vectors = await model.embed_documents(texts)
    await model.close()
    return [
        sum(a * b for a, b in zip(one, other, strict=True))
        for one, other in zip(vectors[::2], vectors[1::2], strict=True)
    ]


def measure(pairs: list[Pair], near: list[float], show: Callable[[str], None] | None) -> object:
    """Shares of wrong merges, wrong supersessions, missed merges and missed supersessions."""
    count: Counter[str] = Counter()
    for pair, similarity in zip(pairs, near, strict=True):
        found = compare(pair.old, pair.new, similarity).verdict.name
        merge, supersede = pair.verdict in MERGES, pair.verdict == "REPLACES"
        apart = not (merge or supersede)
        wrong = {
            "merged_wrongly": found in MERGES and not merge,
            "superseded_wrongly": found == "REPLACES" and apart,
            "merge_missed": merge and found not in MERGES,
            "supersession_missed": supersede and found != "REPLACES",
        }
        count.update(name for name, is_wrong in wrong.items() if is_wrong)
        count.update(["merges"] * merge + ["supersessions"] * supersede + ["apart"] * apart)
        if show and found != pair.verdict and (any(wrong.values()) or found != "DIFFERENT"):
            marks = [name for name, is_wrong in wrong.items() if is_wrong]
            show(f"{pair.verdict:11} {found:11} {similarity:.2f} {pair.old} | {pair.new} {marks}")
    return {
        "pairs": len(pairs),
        "false_merge_rate": round(count["merged_wrongly"] / (len(pairs) - count["merges"]), 4),
        "false_supersede_rate": round(count["superseded_wrongly"] / count["apart"], 4),
        "missed_merge_rate": round(count["merge_missed"] / count["merges"], 4),
        "missed_supersede_rate": round(
            count["supersession_missed"] / max(1, count["supersessions"]), 4
        ),
    }


def main() -> None:
    """Measure and print, one JSON line for each half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="all-MiniLM-L6-v2")
    parser.add_argument("--splits", default="dev,test")
    parser.add_argument("--show", action="store_true", help="print the pairs that went wrong")
    given = parser.parse_args()
    for split in given.splits.split(","):
        pairs = pairs_of(split)
        near = asyncio.run(similarities(pairs, given.embedder))
        found = measure(pairs, near, print if given.show else None)
        print(json.dumps({"split": split, "embedder": given.embedder} | dict(found)))  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
