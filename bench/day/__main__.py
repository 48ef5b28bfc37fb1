"""Measures what a user meets in months of ordinary use, on texts that no rule was written from.

    python -m bench.day [--data FOLDER] [--misses] [--halves dev,test]

Six made lives, half of them `dev`, half `test`, which is kept for the end: nobody looks at what
goes wrong there. A service on a new store gets their notes day by day, curated, with its default
model and without jobs, and is then asked all questions. `--misses` prints what went wrong in dev.

- A question counts as answered by its best hit that has one of the notes that answer it.
- `updates noticed`: the older note was superseded, or is in an open conflict with the newer one.
  `others` are pairs that nobody labelled.
- The calibration error compares `confidence` with whether the first hit is a right note; a question
  without an answer never has one."""

import argparse
import asyncio
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

import structlog

from bench.benchmarks import open_store
from bench.day.figures import Half, count
from bench.day.lives import FOLDER, HALVES, Life, read_lives
from bench.day.memory import Answer, answer, asked, live

LOOKED_AT = "dev"  # the half whose misses may be read


async def measure(lives: Sequence[Life], store: Path) -> list[Half]:
    """Write and ask all lives; the figures of each half."""
    async with open_store(store) as context:
        kept, now = await live(context, lives), asked(context)
        answers = dict[str, Answer]()
        for life in lives:
            for each in life.questions:
                answers[each.id] = await answer(now, kept[life.name], each.text)
            for question, _ in life.facts:
                answers[question] = await answer(now, kept[life.name], question)
    halves = dict[str, list[Life]]()
    for life in lives:
        halves.setdefault(life.half, []).append(life)
    return [count(Half(own, kept, answers)) for own in halves.values()]


def show(halves: Sequence[Half], *, misses: bool) -> None:
    """Print the table, and the misses of dev."""
    names = [half.lives[0].half for half in halves]
    print("\n".join((f"| | {' | '.join(names)} |", f"|---{'|---' * len(names)}|")))
    for name in halves[0].rows:
        print(f"| {name} | {' | '.join(half.rows[name] for half in halves)} |")
    for half in halves:
        if misses and half.lives[0].half == LOOKED_AT:
            print("", *half.misses, sep="\n")


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=FOLDER)
    parser.add_argument("--halves", default=",".join(HALVES))
    parser.add_argument("--misses", action="store_true", help="print what went wrong in dev")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    wanted = given.halves.split(",")
    lives = [life for life in read_lives(given.data) if life.half in wanted]
    with tempfile.TemporaryDirectory() as folder:
        show(asyncio.run(measure(lives, Path(folder))), misses=given.misses)


if __name__ == "__main__":
    main()
