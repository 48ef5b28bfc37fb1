"""Compares the vectors of the weights that graphmem installs with those of the official ones.

    python -m bench.weights [--texts 10000] [--data DIR] [FILE ...]

The official weights are downloaded, and all else is the same for both. Texts are the lines of this
checkout that have some words, and what a FILE says: each string of a JSON or JSON Lines file, or
each line of another. Printed are the smallest and the median cosine, the largest difference between
two numbers of a vector, and for 200 of the texts how often the ten nearest of the others are the
same ones, and in the same order. For each set of benchmarks in `--data`: R@5 and R@10 by vectors
alone, official and installed, and of how many questions the first ten notes differ."""

import argparse
import json
import random
import runpy
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.benchmarks import Asked, notes_of, questions_of, sets_in, share
from bench.plain import is_old, text_of
from graphmem.ai import minilm
from graphmem.ai.sentence_model import encodable

ROOT: Final = Path(__file__).parents[1]
OWN: Final = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "bench/**/*.jsonl",
)
LEAST_WORDS: Final = 4
ASKED: Final = 200
NEAREST: Final = 10


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--data", type=Path)
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    installed, official = minilm.load(), _official()
    texts = texts_of([*given.files, *(p for each in OWN for p in sorted(ROOT.glob(each)))])
    chosen = random.Random(7).sample(texts, min(given.texts, len(texts)))
    print(json.dumps(compare(installed, official, chosen)), flush=True)
    for name in sets_in(given.data) if given.data else ():
        print(
            json.dumps({"set": name, **hits_of(given.data, name, (official, installed))}),
            flush=True,
        )


def texts_of(files: Sequence[Path]) -> list[str]:
    """Return each text of the files once."""
    found = dict.fromkeys(text for path in files for text in _texts_in(path))
    return [text for text in found if len(text.split()) >= LEAST_WORDS]


def _texts_in(path: Path) -> Iterator[str]:
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        yield from _strings_in(json.loads(content))
        return
    for line in content.split("\n"):
        yield from _strings_in(json.loads(line)) if path.suffix == ".jsonl" and line else (line,)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings_in(each)


def hits_of(folder: Path, name: str, models: Sequence[minilm.MiniLM]) -> dict[str, Any]:
    """Return what each model finds in a set of benchmarks, by vectors alone."""
    every = notes_of(folder, name)
    questions = sorted(questions_of(folder, name), key=lambda each: each.user)
    found: list[list[list[str]]] = [[] for _ in models]
    for user in dict.fromkeys(each.user for each in questions):
        rows = [row for row in every if row["user"] == user]
        asked = [each for each in questions if each.user == user]
        old = np.array([[is_old(row, each.until) for row in rows] for each in asked])
        for model, lists in zip(models, found, strict=True):
            notes = _vectors(model, [*map(text_of, rows)])
            near = np.array([_question(model, each.text) for each in asked]) @ notes.T
            order = np.argsort(-np.where(old, near, -1.0), axis=1, kind="stable")[:, :NEAREST]
            lists += [[rows[place]["externalId"] for place in row] for row in order.tolist()]
    return {
        "questions": len(questions),
        "recall": [[_recall(questions, lists, k) for k in (5, 10)] for lists in found],
        "differ": sum(set(a) != set(b) for a, b in zip(*found, strict=True)),
    }


def _recall(questions: Sequence[Asked], found: Sequence[Sequence[str]], k: int) -> float:
    pairs = zip(questions, found, strict=True)
    return round(100 * _share(share(ids, asked.gold, k) for asked, ids in pairs), 2)


def _official() -> minilm.MiniLM:
    prepare = runpy.run_path(str(ROOT / "packages" / "graphmem-weights" / "prepare.py"))
    content = prepare["official_files"]()[prepare["WEIGHTS"]]
    official = {
        name: np.frombuffer(numbers, "<f4").reshape(shape)
        for name, shape, numbers in prepare["arrays_of"](content)
    }
    return replace(minilm.load(), session=minilm.open_session(official))


def compare(
    installed: minilm.MiniLM, official: minilm.MiniLM, texts: Sequence[str]
) -> dict[str, float | int]:
    """Return the figures for some texts."""
    own, other = _vectors(installed, texts), _vectors(official, texts)
    cosines = (own * other).sum(axis=1)
    asked = slice(0, ASKED)
    pairs = list(zip(_nearest(own, asked), _nearest(other, asked), strict=True))
    return {
        "texts": len(texts),
        "least_cosine": round(float(cosines.min()), 7),
        "median_cosine": round(float(np.median(cosines)), 7),
        "largest_difference": round(float(np.abs(own - other).max()), 6),
        "same_nearest_pct": round(100 * _share(sorted(a) == sorted(b) for a, b in pairs), 1),
        "same_order_pct": round(100 * _share(a == b for a, b in pairs), 1),
    }


def _vectors(model: minilm.MiniLM, texts: Sequence[str]) -> np.ndarray:
    with ThreadPoolExecutor(model.threads) as threads:
        each = threads.map(lambda text: model.embed([encodable(text)], question=False)[0], texts)
        return np.array(list(each))


def _question(model: minilm.MiniLM, text: str) -> np.ndarray:
    return np.array(model.embed([encodable(text)], question=True)[0])


def _nearest(vectors: np.ndarray, asked: slice) -> list[list[int]]:
    """Return for each of those that are asked the nearest others, nearest first."""
    order = np.argsort(-(vectors[asked] @ vectors.T), axis=1)[:, : NEAREST + 1]
    return [[each for each in row if each != number] for number, row in enumerate(order.tolist())]


def _share(found: Iterable[float]) -> float:
    every = list(found)
    return sum(every) / len(every)


if __name__ == "__main__":
    main()
