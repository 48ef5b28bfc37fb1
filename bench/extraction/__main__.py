"""Precision, recall and F1 of the extractors on the annotated sentences beside this file.

    python -m bench.extraction [--half dev|test|fresh] [--errors]

All sentences and gold answers were written for this by the author of the rules. `dev` was tuned on;
`test` was written before the rules, and what they got wrong there was never looked at; `fresh` was
written when the rules were done, in a messier style. Its first run is the fairest figure (F1 of
names 0.91, names with type 0.66, relations 0.55 of only seven; with spaCy 0.93, 0.80, 0.67); after
that its errors were looked at and some were mended.

A name counts when its normal form is right, a relation when both names and the predicate are right
(a symmetric one either way round). Below that: microseconds for a sentence, best of three rounds.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphmem.ai.extractor import Extractor, open_extractor
from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import name_key
from graphmem.domain.predicates import SYMMETRIC

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
HALVES = ("dev", "test", "fresh")
Sentence = dict[str, Any]


class Score:
    """Counts of what was right, too much and missing."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.counts: Counter[str] = Counter()

    def add(self, found: set[Any], gold: set[Any]) -> None:
        """Count one sentence."""
        self.counts["right"] += len(found & gold)
        self.counts["extra"] += len(found - gold)
        self.counts["missing"] += len(gold - found)

    def __str__(self) -> str:
        """Precision, recall and F1."""
        right, extra, missing = (self.counts[key] for key in ("right", "extra", "missing"))
        precision = right / (right + extra or 1)
        recall = right / (right + missing or 1)
        f1 = 2 * precision * recall / (precision + recall or 1)
        return f"P {precision:.2f}  R {recall:.2f}  F1 {f1:.2f}  ({right}+{extra}-{missing})"


def runner(extractor: Extractor) -> Callable[[Sentence], Extraction]:
    """What the extractor finds in a sentence."""
    return lambda sentence: extractor(
        sentence["text"], title=None, speaker=sentence["speaker"], occurred_at=None, now=NOW
    )


def relation(subject: str, predicate: str, target: str) -> Hashable:
    """A relation in the form in which it is compared."""
    ends = (name_key(subject), name_key(target))
    return (predicate, tuple(sorted(ends)) if predicate in SYMMETRIC else ends)


def score(
    run: Callable[[Sentence], Extraction], sentences: Iterable[Sentence], errors: bool
) -> None:
    """Print the figures of an extractor."""
    by_name, by_type, related = Score(), Score(), Score()
    for sentence in sentences:
        found = run(sentence)
        names = {name_key(entity.name) for entity in found.entities}
        typed = {(name_key(entity.name), entity.type) for entity in found.entities}
        told = {relation(r.subject, r.predicate, r.object) for r in found.relations}
        gold_typed = {(name_key(e["name"]), e["type"]) for e in sentence["entities"]}
        gold_told = {relation(*each) for each in sentence["relations"]}
        gold_names = {name for name, _ in gold_typed}
        by_name.add(names, gold_names)
        by_type.add(typed, gold_typed)
        related.add(told, gold_told)
        if errors and (typed != gold_typed or told != gold_told):
            print(sentence["text"])
            for mark, things in (
                ("  + ", (typed - gold_typed) | (told - gold_told)),
                ("  - ", (gold_typed - typed) | (gold_told - told)),
            ):
                for thing in sorted(things, key=str):
                    print(mark, thing)
    print(f"  entities, name        {by_name}")
    print(f"  entities, name + type {by_type}")
    print(f"  relations             {related}")


def speed(run: Callable[[Sentence], Extraction], sentences: list[Sentence]) -> float:
    """Microseconds of computing for a sentence."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for sentence in sentences:
            run(sentence)
        best = min(best, time.process_time() - start)
    return best / len(sentences) * 1e6


def main() -> None:
    """Score both extractors."""
    parser = argparse.ArgumentParser(prog="python -m bench.extraction")
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    lines = Path(__file__).with_name("sentences.jsonl").read_text("utf-8").splitlines()
    sentences: list[Sentence] = [json.loads(line) for line in lines]
    for name in ("rules", "spacy"):
        run = runner(open_extractor(name))
        for half in (options.half,) if options.half else HALVES:
            chosen = [sentence for sentence in sentences if sentence["half"] == half]
            print(f"{name}, {half}: {len(chosen)} sentences")
            score(run, chosen, options.errors)
        print(f"  {speed(run, sentences):.0f} µs for a sentence")


if __name__ == "__main__":
    main()
