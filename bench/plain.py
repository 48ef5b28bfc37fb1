"""Measures plain ranking methods on the benchmarks, to compare BALANCED with.

    python -m bench.plain --data DIR [--sets locomo,madial]

Nothing is stored: the notes of a user are ranked in memory by the cosine of the default embedding
model, by BM25 over stemmed words, by reciprocal rank fusion of both (Cormack et al. 2009, k = 60),
and by a sum of both in which words count the more, the more of the question the best note has
(`gated fusion`). A note is searched as `speaker: title content`. Printed are R@5 and R@10, the mean
reciprocal rank among the first 20, and session R@10: the share of the gold notes' episodes that are
among the first 10 episodes of the first 20 notes; a note without an episode is one by itself."""

import argparse
import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean

import numpy as np

from bench.benchmarks import Asked, Row, notes_of, questions_of, sets_in, share
from graphmem.ai.embedder import DEFAULT_MODEL, Embedder
from graphmem.ai.embedders import create_embedder
from graphmem.domain.ranking import K1, B
from graphmem.language.analysis import analyse

DEPTH = 100  # notes of each list that are fused
RRF = 60
KEYWORDS = 1.5  # weight of words where the best note has all of the question
FIRST = 20
METHODS = ("MiniLM", "BM25", "RRF", "gated fusion")
MEASURES = ("R@5", "R@10", "MRR@20", "session R@10")
BATCH = 64


def text_of(note: Row) -> str:
    """The text of a note as it is searched."""
    speaker = f"{note['speaker']}:" if note.get("speaker") else ""
    return " ".join(filter(None, (speaker, note.get("title"), note["content"])))


class Notes:
    """The notes of one user with their vectors and counts of words."""

    def __init__(self, rows: Sequence[Row], vectors: np.ndarray) -> None:
        self.rows, self.vectors = rows, vectors
        self.words = [Counter(analyse(text_of(row))) for row in rows]
        self.lengths = np.array([max(1, words.total()) for words in self.words])

    def rank(self, asked: Asked, vector: Sequence[float]) -> dict[str, list[Row]]:
        """The first notes by each method; those that are newer than the question do not count."""
        old = np.array([is_old(row, asked.until) for row in self.rows])
        near = np.where(old, self.vectors @ np.asarray(vector), -1.0)
        terms = Counter(analyse(asked.text))
        counts = np.array([[words[t] for t in terms] for words in self.words]) * old[:, None]
        holding, total = (counts > 0).sum(0), old.sum()
        idf = np.log(1 + (total - holding + 0.5) / (holding + 0.5)) * [*terms.values()]
        norm = K1 * (1 - B + B * self.lengths / self.lengths[old].mean())
        by_words = counts / (counts + norm[:, None]) @ idf / (idf.sum() or 1.0)
        fused = np.zeros(len(self.rows))
        for values in (near, by_words):
            order = np.argsort(-values, kind="stable")[:DEPTH]
            fused[order] += 1 / (RRF + 1 + np.arange(len(order)))
        covered = max(float(by_words.max()), 0.0)
        gated = near + KEYWORDS * covered**0.5 * by_words
        found = zip(METHODS, (near, by_words, fused, gated), strict=True)
        return {
            name: [self.rows[i] for i in np.argsort(-values, kind="stable")[:FIRST]]
            for name, values in found
        }


def is_old(note: Row, until: datetime | None) -> bool:
    """True if a note was there when a question was asked."""
    at = note.get("occurredAt")
    return until is None or at is None or datetime.fromisoformat(at) <= until


def measured(asked: Asked, found: Sequence[Row], episodes: Mapping[str, str]) -> list[float]:
    """The measures of one answer."""
    ids = [row["externalId"] for row in found]
    first = next((place for place, i in enumerate(ids, 1) if i in asked.gold), None)
    wanted = frozenset(episodes[i] for i in asked.gold)
    sessions = [*dict.fromkeys(episodes[i] for i in ids)]
    return [
        share(ids, asked.gold, 5),
        share(ids, asked.gold, 10),
        1 / first if first else 0.0,
        share(sessions, wanted, 10),
    ]


async def embedded(embedder: Embedder, texts: Sequence[str]) -> np.ndarray:
    """The vectors of texts, a row each."""
    rows = list[list[float]]()
    for start in range(0, len(texts), BATCH):
        rows += await embedder.embed_documents(texts[start : start + BATCH])
    return np.array(rows)


async def run(data: Path, sets: Sequence[str]) -> None:
    """Rank, measure and print."""
    embedder = create_embedder(DEFAULT_MODEL)
    print(f"{'set':<13}{'method':<14}" + "".join(f"{name:>14}" for name in MEASURES))
    for name in sets:
        every, questions = notes_of(data, name), questions_of(data, name)
        episodes = {row["externalId"]: row.get("episode") or row["externalId"] for row in every}
        results: dict[str, list[list[float]]] = {method: [] for method in METHODS}
        for user in dict.fromkeys(each.user for each in questions):
            rows = [row for row in every if row["user"] == user]
            notes = Notes(rows, await embedded(embedder, [*map(text_of, rows)]))
            for asked in (each for each in questions if each.user == user):
                ranked = notes.rank(asked, await embedder.embed_query(asked.text))
                for method, found in ranked.items():
                    results[method].append(measured(asked, found, episodes))
        for method, values in results.items():
            means = "".join(f"{100 * fmean(v):14.1f}" for v in zip(*values, strict=True))
            print(f"{name:<13}{method:<14}{means}", flush=True)
    await embedder.close()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", help="separated by commas; all that the folder has")
    given = parser.parse_args()
    asyncio.run(run(given.data, given.sets.split(",") if given.sets else sets_in(given.data)))


if __name__ == "__main__":
    main()
