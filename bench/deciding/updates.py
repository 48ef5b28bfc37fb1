"""Measures the judge of updates on pairs of notes of made lives: how often it is noticed that a
newer note makes an older one out of date, and how often that is said of one that stays true.

    python -m bench.deciding.updates [--kept] [--lives NAME,NAME...] [--show]

`--kept`: the lives whose names begin with `kept_`, from which nothing is learned; the others are
those that `bench.deciding.learn` learns from, but for the ones it is told to leave out. Printed
are the shares of each verdict above some likelihoods; `others` are newer notes near an older one
with which they are no pair."""

import argparse
import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.deciding.__main__ import Pair
from graphmem.ai.embedders import create_embedder
from graphmem.ai.update_judge import UpdateJudge
from graphmem.domain.writing import IN_DOUBT, OUTDATED, SAME, UpdateVerdict

LIVES = Path(__file__).parent / "lives"
DIFFERENT = "DIFFERENT"
CHANGED = {"REPLACES", "PARTLY"}
NEAR = 0.35  # cosine from which notes of a life are compared that are no pair
SHOWN = tuple(sorted({0.5, 0.9, IN_DOUBT, OUTDATED, SAME}))

Rows = list[tuple[str, str]]
Judging = Callable[[Rows], list[UpdateVerdict]]


@dataclass(frozen=True)
class Life:
    """The pairs of one life, in the order of its file."""

    name: str
    pairs: Sequence[Pair]


def read_lives(*, kept: bool) -> list[Life]:
    """The lives to learn from, or those kept for the end."""
    return [
        Life(path.stem, [Pair(*line.split("\t")) for line in path.read_text("utf-8").splitlines()])
        for path in sorted(LIVES.glob("*.tsv"))
        if path.stem.startswith("kept_") is kept
    ]


def near_others(lives: Sequence[Life]) -> Rows:
    """Older and newer notes of one life that are near each other and no pair."""
    texts = [text for life in lives for p in life.pairs for text in (p.old, p.new)]
    vectors = np.array(asyncio.run(_vectors(texts)))
    found, start = Rows(), 0
    for life in lives:
        own = vectors[start : start + 2 * len(life.pairs)]
        start += len(own)
        near = own[::2] @ own[1::2].T
        found += [
            (life.pairs[i].old, life.pairs[j].new)
            for i, j in zip(*np.nonzero(near >= NEAR), strict=True)
            if i != j
        ]
    return found


async def _vectors(texts: Sequence[str]) -> list[list[float]]:
    model = create_embedder()
    try:
        return await model.embed_documents(texts)
    finally:
        await model.close()


def report(lives: Sequence[Life], judge: Judging, *, show: bool) -> Mapping[str, object]:
    """How many pairs of each verdict, and of the other notes, are judged so, by likelihood."""
    paired = [(p.verdict, p.old, p.new) for life in lives for p in life.pairs]
    others = [("others", *texts) for texts in near_others(lives)]
    rows = [*paired, *others]
    said = judge([(old, new) for _, old, new in rows])
    right = sum(
        (each.outdated > 0.5) == (verdict in CHANGED)
        for each, (verdict, _, _) in zip(said, paired, strict=False)
    )
    if show:
        for each, row in sorted(zip(said, rows, strict=True), key=lambda pair: -pair[0].outdated):
            told = (f"{x:.2f}" for x in (each.replaced, each.partly, each.same))
            print(*told, *row, sep="\t")
    return {
        "pairs": len(paired),
        "others": len(others),
        "right": round(right / len(paired), 3),
        **{
            f"{name} above {least}": _counts(least, [getattr(each, name) for each in said], rows)
            for name in ("outdated", "replaced", "same")
            for least in SHOWN
        },
    }


def _counts(
    least: float, likely: Sequence[float], rows: Sequence[tuple[str, str, str]]
) -> dict[str, str]:
    """Of each verdict, how many are at least so likely."""
    found = dict[str, list[bool]]()
    for each, (verdict, _, _) in zip(likely, rows, strict=True):
        found.setdefault(verdict, []).append(each >= least)
    return {verdict: f"{sum(own)} of {len(own)}" for verdict, own in sorted(found.items())}


def judge_by_graphmem(rows: Rows) -> list[UpdateVerdict]:
    """What graphmem's judge says."""

    async def judged() -> list[UpdateVerdict]:
        judge = UpdateJudge()
        try:
            return await judge.verdicts(rows)
        finally:
            await judge.close()

    return asyncio.run(judged())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--show", action="store_true", help="print all pairs, the likeliest first")
    parser.add_argument("--lives", default="", help="only these, divided by commas")
    given = parser.parse_args()
    named = [name for name in given.lives.split(",") if name]
    lives = [life for life in read_lives(kept=given.kept) if not named or life.name in named]
    print(json.dumps(report(lives, judge_by_graphmem, show=given.show), indent=1))


if __name__ == "__main__":
    main()
