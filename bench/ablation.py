"""Measures what each part of the default profile gives to recall, by the service itself.

    python -m bench.ablation --data DIR --store DIR [--sets locomo,hotpot] [--rows default,...]

`--data` is a folder of benchmarks as `bench/benchmarks.py` describes them; `--store` a data folder,
which is filled first unless the notes are there. A row is a configuration, with R@5 / R@10 of each
set in percent: the share of a question's gold notes among the first 5 / 10 hits, averaged over the
questions. `--categories` adds R@10 by category of question."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from bench.benchmarks import Benchmark, Shares, arguments, open_set, open_store, sets_of, shares_of
from graphmem.domain.ranking import Balanced

NO_GATE = -10.0  # words count whatever they cover
NO_WORDS = Balanced(keyword_weight=0, speaker_weight=0)
NO_VECTORS = Balanced(vector_weight=0, gate_middle=NO_GATE)
ROWS: Mapping[str, tuple[Balanced, int]] = {
    "default": (Balanced(), 2),
    "vectors only": (NO_WORDS, 0),
    "words only": (NO_VECTORS, 0),
    "without vectors": (NO_VECTORS, 2),
    "without words": (NO_WORDS, 2),
    "without graph": (Balanced(), 0),
    "one hop": (Balanced(), 1),
    "without mentions": (Balanced(mention_weight=0, title_weight=0, named=0), 2),
    "without titles": (Balanced(title_weight=0, titled=1), 2),
    "without named entities": (Balanced(named=0), 2),
    "without relations": (Balanced(relation_weight=0, predicate_weight=0), 2),
    "without NEXT": (Balanced(next_weight=0), 2),
    "without episode window": (Balanced(window=False), 2),
    "without episodes": (Balanced(window=False, next_weight=0), 2),
    "without speakers": (Balanced(speaker_weight=0), 2),
    "without gate": (Balanced(gate_middle=NO_GATE), 2),
    "with question words": (Balanced(bare=False), 2),
    "without last stage": (Balanced(reranking=None), 2),
    "without predicates": (Balanced(predicate_weight=0), 2),
    "restart by 1 / rank": (Balanced(sharpness=1), 2),
}


def _summary(shares: Sequence[Shares]) -> str:
    return " / ".join(f"{100 * fmean(values):5.1f}" for values in zip(*shares, strict=True))


def _by_category(given: Benchmark, shares: Sequence[Shares]) -> str:
    groups = defaultdict[str, list[float]](list)
    for asked, (_, at_10) in zip(given.questions, shares, strict=True):
        groups[asked.category].append(at_10)
    return ", ".join(f"{name} {100 * fmean(groups[name]):.1f}" for name in sorted(groups))


async def run(
    data: Path, store: Path, sets: Sequence[str], rows: Sequence[str], more: bool
) -> None:
    """Fill, measure and print."""
    async with open_store(store) as context:
        opened = [await open_set(context, data, name) for name in sets]
        print(f"{'R@5 / R@10':<24}" + "".join(f"{each.name:>16}" for each in opened))
        for row in rows:
            numbers, hops = ROWS[row]
            tried = replace(context, balanced=numbers)
            found = [await shares_of(tried, each, hops) for each in opened]
            print(f"{row:<24}" + "".join(f"{_summary(shares):>16}" for shares in found), flush=True)
            for each, shares in zip(opened, found, strict=True) if more else ():
                print(f"    {each.name}: {_by_category(each, shares)}")


def main() -> None:
    """Parse the command line and run."""
    parser = arguments(__doc__)
    parser.add_argument("--rows", help=f"separated by commas, of: {', '.join(ROWS)}; all")
    parser.add_argument("--categories", action="store_true")
    given = parser.parse_args()
    sets = sets_of(given)
    rows = given.rows.split(",") if given.rows else list(ROWS)
    asyncio.run(run(given.data, given.store, sets, rows, given.categories))


if __name__ == "__main__":
    main()
