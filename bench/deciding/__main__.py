"""Measures deciding on labelled pairs of notes: how often what differs is merged or superseded, and
how often what belongs together is not; then on made pairs (`generated`).

    python -m bench.deciding [--embedder all-MiniLM-L6-v2] [--made 2000] [--seed 1] [--show]

Each line of dev.tsv and test.tsv is a pair, written before the comparison was: kind, verdict, old
note, new note. The comparison was made with dev.tsv; test.tsv only measures it."""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.deciding import generated
from bench.deciding.generated import Made
from graphmem.ai.embedders import create_embedder
from graphmem.language.comparison.texts import compare

FOLDER = Path(__file__).parent
MERGES = {"SAME", "EXTENDS"}
ONE_NOTE = {*MERGES, "REPLACES"}
AT_ONCE = 256


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


async def similarities(pairs: Iterable[Pair | Made], embedder: str) -> list[float]:
    """The cosine of each pair."""
    model = create_embedder(embedder)
    texts = [text for pair in pairs for text in (pair.old, pair.new)]
    vectors = []
    for start in range(0, len(texts), AT_ONCE):
        vectors += await model.embed_documents(texts[start : start + AT_ONCE])
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
        count["right"] += not any(wrong.values())
        count.update(["merges"] * merge + ["supersessions"] * supersede + ["apart"] * apart)
        if show and found != pair.verdict and (any(wrong.values()) or found != "DIFFERENT"):
            marks = [name for name, is_wrong in wrong.items() if is_wrong]
            show(f"{pair.verdict:11} {found:11} {similarity:.2f} {pair.old} | {pair.new} {marks}")
    return {
        "pairs": len(pairs),
        "right": round(count["right"] / len(pairs), 4),
        "false_merge_rate": round(count["merged_wrongly"] / (len(pairs) - count["merges"]), 4),
        "false_supersede_rate": round(count["superseded_wrongly"] / count["apart"], 4),
        "missed_merge_rate": round(count["merge_missed"] / count["merges"], 4),
        "missed_supersede_rate": round(
            count["supersession_missed"] / max(1, count["supersessions"]), 4
        ),
    }


def measure_made(
    made: Sequence[Made], near: Sequence[float], show: Callable[[str], None] | None
) -> Counter[str]:
    """How many pairs become one note, either of them being the older one."""
    count = Counter[str](pairs=len(made), merged=0)
    for pair, similarity in zip(made, near, strict=True):
        told = [(pair.old, pair.new), (pair.new, pair.old)]
        found = [compare(old, new, similarity) for old, new in told]
        merged = any(each.verdict.name in ONE_NOTE for each in found)
        count["merged"] += merged
        count["at_any_nearness"] += any(
            compare(old, new).verdict.name in ONE_NOTE for old, new in told
        )
        if show and merged is not (pair.kind in ("repeat", "greeted")):
            show(f"{pair.kind}: {similarity:.2f} {pair.old!r} | {pair.new!r} {found[0].reason}")
    return count


def made_sets(count: int, seed: int) -> dict[str, list[Made]]:
    """The made pairs by what they are: four sets of which nothing may be merged, two of which
    everything should be."""
    labelled = [pair for split in ("dev", "test") for pair in pairs_of(split)]
    same = [
        pair
        for pair in labelled
        if pair.verdict in MERGES and compare(pair.old, pair.new).verdict.name in MERGES
    ]
    apart = [pair for pair in labelled if pair.verdict in ("DIFFERENT", "CONTRADICTS")]
    return {
        "unrelated": generated.unrelated(count, seed),
        "look_alikes": generated.look_alikes(count, seed),
        "parts": generated.parts(count // 4, seed),
        "labelled_apart": [
            Made("apart", *generated.wrapped(pair.old, pair.new, seed + i))
            for i, pair in enumerate(apart * (count // 200))
        ],
        "repeats": generated.repeats(count // 4, seed),
        "labelled_greeted": [
            Made("greeted", *generated.greeted(pair.old, pair.new, seed + i))
            for i, pair in enumerate(same)
        ],
    }


def main() -> None:
    """Measure and print, one JSON line for each half and each set of made pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="all-MiniLM-L6-v2")
    parser.add_argument("--splits", default="dev,test")
    parser.add_argument("--made", type=int, default=2000, help="made pairs; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the pairs that went wrong")
    given = parser.parse_args()
    show = print if given.show else None
    for split in given.splits.split(","):
        pairs = pairs_of(split)
        near = asyncio.run(similarities(pairs, given.embedder))
        found = measure(pairs, near, show)
        print(json.dumps({"split": split, "embedder": given.embedder} | dict(found)))  # type: ignore[call-overload]
    for name, made in (made_sets(given.made, given.seed) if given.made else {}).items():
        near = asyncio.run(similarities(made, given.embedder))
        print(
            json.dumps({"made": name, "embedder": given.embedder} | measure_made(made, near, show))
        )


if __name__ == "__main__":
    main()
