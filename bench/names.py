"""Precision and recall of the names that the extractors find in labelled texts.

    python -m bench.names FOLDER [--extractor rules|spacy] [--errors]

FOLDER holds `*.jsonl` files, each scored by itself and then all together. A line is one text:

    {"text": "Woah Ann, The Long Way is out!", "speaker": "Bo", "also": [],
     "names": [{"name": "Ann", "type": "person"}, {"name": "The Long Way", "type": "work"}]}

- `names`: every name of the text once, whole and as it stands there: people (and pets), places,
  organisations, products, titles of works, events. Interjections, common nouns, days, months,
  peoples and abbreviations in common use are no names. `type` is shown with the errors only.
- `also` (optional): entities that are no names and yet right, such as what a speaker likes; they
  count neither way, nor does the speaker (optional).
- other fields, such as an id, are ignored.

Whatever the extractor gives counts, concepts too. Names are compared without case, quotes, a
leading article and a closing full stop. The texts belong to whoever labels them; this
repository has none.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphmem.ai.extractor import Extractor, open_extractor
from graphmem.errors import Misconfigured

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
ARTICLES = ("the ", "a ", "an ")
Text = dict[str, Any]


def key(name: str) -> str:
    """The form in which two names are compared."""
    bare = " ".join(name.replace("’", "'").casefold().split()).strip("\"'“”‘’.")  # noqa: RUF001
    for article in ARTICLES:
        bare = bare.removeprefix(article)
    return bare


def extra_kind(found: str, gold: set[str], name: str) -> str:
    """What is wrong with a name that nobody labelled."""
    if any(f" {found} " in f" {label} " for label in gold):
        return "extra: part of a name"
    if any(f" {label} " in f" {found} " for label in gold):
        return "extra: a name with more words"
    return "extra: a phrase" if name.islower() else "extra: no name"


def missing_kind(label: str, found: set[str]) -> str:
    """How a labelled name was missed."""
    if any(f" {name} " in f" {label} " for name in found):
        return "missing: a part was found"
    if any(f" {label} " in f" {name} " for name in found):
        return "missing: found with more words"
    return "missing: nothing found"


def score(extractor: Extractor, texts: Iterable[Text], errors: bool) -> Counter[str]:
    """Count what is right, too much and missing, and of which kind."""
    counts: Counter[str] = Counter()
    for text in texts:
        speaker = text.get("speaker")
        found = extractor(
            text["text"], title=None, speaker=speaker, occurred_at=None, now=NOW
        ).entities
        gold = {key(label["name"]): label["type"] for label in text["names"]}
        free = {key(name) for name in (*text.get("also", ()), speaker or "")} - set(gold)
        names = {key(entity.name): entity for entity in found if key(entity.name) not in free}
        extra = [entity for name, entity in names.items() if name not in gold]
        missing = [name for name in gold if name not in names]
        counts["right"] += len(gold) - len(missing)
        counts.update(extra_kind(key(entity.name), set(gold), entity.name) for entity in extra)
        counts.update(missing_kind(name, set(names)) for name in missing)
        if errors and (extra or missing):
            print(f"  {text['text']}")
            for entity in extra:
                print(f"    + {entity.name} ({entity.type})")
            for name in missing:
                print(f"    - {name} ({gold[name]})")
    return counts


def summary(counts: Counter[str]) -> str:
    """Precision and recall of the counts."""
    right = counts["right"]
    extra, missing = (
        sum(number for kind, number in counts.items() if kind.startswith(mark))
        for mark in ("extra", "missing")
    )
    precision, recall = right / (right + extra or 1), right / (right + missing or 1)
    return f"P {precision:.3f}  R {recall:.3f}  ({right} right, {extra} extra, {missing} missing)"


def speed(extractor: Extractor, texts: Sequence[Text]) -> float:
    """Microseconds of computing for a text, the best of three rounds."""
    rounds = []
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            extractor(text["text"], title=None, speaker=None, occurred_at=None, now=NOW)
        rounds.append(time.process_time() - start)
    return min(rounds) / (len(texts) or 1) * 1e6


def report(name: str, files: Sequence[Path], errors: bool) -> None:
    """Print the figures of one extractor for each file and for all of them."""
    extractor = open_extractor(name)
    total: Counter[str] = Counter()
    everything: list[Text] = []
    for file in files:
        texts: list[Text] = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        counts = score(extractor, texts, errors)
        print(f"{name}, {file.stem}, {len(texts)} texts: {summary(counts)}")
        total += counts
        everything += texts
    print(f"{name}, all: {summary(total)}, {speed(extractor, everything):.0f} µs a text")
    for kind, number in sorted(total.items()):
        print(f"  {number:5} {kind}")


def main() -> None:
    """Score the extractors that are installed, or the one that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.names")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--extractor", choices=("rules", "spacy"))
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.jsonl"))
    for name in (options.extractor,) if options.extractor else ("rules", "spacy"):
        try:
            report(name, files, options.errors)
        except Misconfigured as error:
            print(f"{name}: {error}")


if __name__ == "__main__":
    main()
