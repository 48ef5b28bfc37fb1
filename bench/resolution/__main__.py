"""Measures the three bands of entity resolution on the labelled pairs of `pairs.txt`.

    python -m bench.resolution [--half dev|test|both] [--show] [--no-model]

Within each kind of pair every second line belongs to the half `dev`, on which the rules were made,
the others to `test`, which was read only to count. A false merge is a pair of two things in the
band MERGE; a missed merge is a pair of one thing that is not merged by itself: asked or left."""

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.ai.embedders import create_embedder
from graphmem.language.naming.resolution import EntityRecord, MatchDecision, compare_entities

PAIRS = Path(__file__).parent / "pairs.txt"


@dataclass(frozen=True)
class Pair:
    """Two names with what is known around them, and whether they are of one thing."""

    kind: str
    same: bool
    one: EntityRecord
    other: EntityRecord
    half: str


def load(path: Path = PAIRS) -> list[Pair]:
    """The labelled pairs, halved."""
    pairs, seen = [], Counter[tuple[str, str]]()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, verdict, *rest = line.split("|")
        half = ("dev", "test")[seen[kind, verdict] % 2]
        seen[kind, verdict] += 1
        pairs.append(Pair(kind, verdict == "same", _thing(rest[:3]), _thing(rest[3:]), half))
    return pairs


def _thing(fields: Sequence[str]) -> EntityRecord:
    name, kind, around = fields
    near = frozenset() if around == "-" else frozenset(around.split(", "))
    return EntityRecord(names=(name,), type=kind, around=near)


async def nearness(pairs: Sequence[Pair]) -> list[float]:
    """The cosine of each pair's names."""
    embedder = create_embedder(DEFAULT_MODEL)
    names = [thing.names[0] for pair in pairs for thing in (pair.one, pair.other)]
    vectors = await embedder.embed_documents(names)
    await embedder.close()
    return [
        sum(a * b for a, b in zip(one, other, strict=True))
        for one, other in zip(vectors[::2], vectors[1::2], strict=True)
    ]


def rows(pairs: Sequence[Pair], bands: Sequence[MatchDecision]) -> Iterator[str]:
    """A line for each kind: of one thing merged, asked, left; of two things merged, asked, left."""
    counts: dict[str, Counter[tuple[bool, MatchDecision]]] = defaultdict(Counter)
    for pair, band in zip(pairs, bands, strict=True):
        for kind in (pair.kind, "all") if pair.kind != "homonyms" else (pair.kind,):
            counts[kind][pair.same, band] += 1
    yield "| kind | one thing: merged | asked | left | two things: merged | asked | left |"
    yield "|---|---|---|---|---|---|---|"
    for kind in [*sorted(set(counts) - {"all", "homonyms"}), "all", "homonyms"]:
        cells = [str(counts[kind][same, band]) for same in (True, False) for band in MatchDecision]
        yield f"| {kind} | {' | '.join(cells)} |"
    total = counts["all"]
    same = sum(total[True, band] for band in MatchDecision)
    two = sum(total[False, band] for band in MatchDecision)
    yield (
        f"\nfalse merges {total[False, MatchDecision.MERGE]} of {two} pairs of two things"
        f" ({total[False, MatchDecision.MERGE] / two:.1%}); of {same} pairs of one thing"
        f" {total[True, MatchDecision.MERGE] / same:.0%} merged,"
        f" {total[True, MatchDecision.ASK] / same:.0%} asked,"
        f" {total[True, MatchDecision.LEAVE] / same:.0%} missed;"
        f" asked in vain {total[False, MatchDecision.ASK] / two:.0%}"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("dev", "test", "both"), default="both")
    parser.add_argument("--show", action="store_true", help="the pairs judged otherwise than meant")
    parser.add_argument("--no-model", action="store_true", help="without the vectors of the names")
    given = parser.parse_args()
    pairs = load()
    near = [None] * len(pairs) if given.no_model else asyncio.run(nearness(pairs))
    judged = [compare_entities(p.one, p.other, n) for p, n in zip(pairs, near, strict=True)]
    for half in ("dev", "test") if given.half == "both" else (given.half,):
        chosen = [i for i, pair in enumerate(pairs) if pair.half == half]
        print(f"\n{half}: {len(chosen)} pairs\n")
        print("\n".join(rows([pairs[i] for i in chosen], [judged[i].band for i in chosen])))
        for i in chosen if given.show else ():
            pair, found = pairs[i], judged[i]
            if pair.same is not (found.band is not MatchDecision.LEAVE):
                names = f"{pair.one.names[0]} / {pair.other.names[0]}"
                shown = f"{near[i]:.2f}" if near[i] is not None else ""
                print(
                    f"  {'one' if pair.same else 'two'} {found.band} {found.score} {shown} {names}"
                )


if __name__ == "__main__":
    main()
