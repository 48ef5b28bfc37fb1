"""How many of the relations that stand in ordinary sentences are read, and how many too many.

    python -m bench.extraction.stated [--half dev|fresh] [--errors]

`stated/<half>.tsv` has a sentence of the lives of `bench/deciding` a line, and after it, divided by
tabs, the relations that a language model saw in it which knew neither the rules nor what they
read, as subject | predicate | object. The rules were changed with `dev`; of `fresh` the first run
is the fairest figure (`bench/day/README.md`), since what went wrong there was mended afterwards.

A relation that is read counts as stated when both its ends share a word with those of a labelled
one, in either direction; predicates are not compared."""

import argparse
import re
from datetime import UTC, datetime
from pathlib import Path

from graphmem.ai.extractor import open_extractor

HALVES = ("dev", "fresh")
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
SMALL = frozenset("the a an our his her their my mr mrs ms dr of in".split())


def words_of(end: str) -> frozenset[str]:
    """The words that tell one end of a relation from others."""
    return frozenset(re.findall(r"\w+", end.lower())) - SMALL


def are_alike(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Check whether two pairs of ends may mean the same two things."""
    (a, b), (c, d) = map(words_of, one), map(words_of, other)
    return bool((a & c and b & d) or (a & d and b & c))


def measure(half: str, errors: bool) -> None:
    """Print the figures of a half, and with `errors` what is too many."""
    extractor = open_extractor("spacy")
    file = Path(__file__).parent / "stated" / f"{half}.tsv"
    sentences = stated = found = read = right = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        text, *labels = line.split("\t")
        gold = [(one, other) for one, _, other in (label.split(" | ") for label in labels)]
        given = extractor(text, title=None, speaker=None, occurred_at=None, now=NOW).relations
        ends = [(each.subject, each.object) for each in given]
        sentences, stated, read = sentences + 1, stated + len(gold), read + len(ends)
        found += sum(any(are_alike(pair, other) for other in ends) for pair in gold)
        for each, pair in zip(given, ends, strict=True):
            if any(are_alike(pair, other) for other in gold):
                right += 1
            elif errors:
                print(f"{each.subject} [{each.predicate}] {each.object}   of: {text}")
    print(
        f"{half}: {sentences} sentences; {found} of {stated} stated relations read; "
        f"{right} of {read} read ones are stated"
    )


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--errors", action="store_true")
    given = parser.parse_args()
    for half in [given.half] if given.half else HALVES:
        measure(half, given.errors)


if __name__ == "__main__":
    main()
