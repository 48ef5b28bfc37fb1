"""Measures whether recall keeps what it found when a question is put otherwise, and when the user
has many other notes.

    python -m bench.robustness --data DIR --store DIR --set locomo [--unrelated 100000]

`--data` and `--store` as in `ablation`. First part: the same questions with their words in another
order, with and without stop words, politely wrapped, in capitals; told are R@10 and the share of
the gold notes that stay within k = 10 places of where they were, among the first 100. Second part:
the notes of the user with the most questions are told to a new user together with N notes made
of sentences of the folder's other sets; told is R@10 of that user's questions with and without."""

import argparse
import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from bench.benchmarks import (
    AT_ONCE,
    Asked,
    Benchmark,
    fill,
    notes_of,
    open_set,
    open_store,
    sets_in,
    share,
)
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, NoteFilter
from graphmem.language.analysis import STOP_WORDS
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import count_notes, list_notes
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.words import words_of
from graphmem.store.changes import create_step
from graphmem.store.rows import CreateRow, RevisionRow

K = 10
DEEP = 100  # places in which the gold notes are looked for
BATCH = 500


def _shuffled(text: str) -> str:
    words = text.rstrip("?").split()
    random.Random(text).shuffle(words)
    return " ".join(words) + "?"


def _without_stop_words(text: str) -> str:
    kept = [word for word in text.split() if word.lower() not in STOP_WORDS]
    return " ".join(kept) or text


WORDINGS: dict[str, Callable[[str], str]] = {
    "as asked": lambda text: text,
    "words in another order": _shuffled,
    "without stop words": _without_stop_words,
    "with stop words": lambda text: f"and so it is that {text} then, with this and for that",
    "politely": lambda text: f"Could you please tell me {text[:1].lower()}{text[1:]}",
    "in capitals": str.upper,
}


async def _found(context: Context, access: Access, text: str) -> list[str | None]:
    question = RecallRequest(query=text, k=DEEP, track=False)
    return [hit.note.external_id for hit in (await recall(context, access, question)).hits]


async def _all_found(
    context: Context, given: Benchmark, wording: Callable[[str], str]
) -> list[list[str | None]]:
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(asked: Asked) -> list[str | None]:
        async with turn:
            return await _found(context, given.access[asked.user], wording(asked.text))

    return list(await asyncio.gather(*map(one, given.questions)))


def _place(found: Sequence[str | None], note: str) -> int:
    return found.index(note) if note in found else DEEP


async def wordings(context: Context, given: Benchmark) -> None:
    """Print a line for each way to put the questions."""
    before = await _all_found(context, given, WORDINGS["as asked"])
    for name, wording in WORDINGS.items():
        after = await _all_found(context, given, wording)
        at_10 = fmean(
            share(found, asked.gold, K) for asked, found in zip(given.questions, after, strict=True)
        )
        kept = fmean(
            abs(_place(one, note) - _place(other, note)) <= K
            for asked, one, other in zip(given.questions, before, after, strict=True)
            for note in asked.gold
        )
        print(f"{name:<24} R@10 {100 * at_10:5.1f}   within k {100 * kept:5.1f}", flush=True)


async def crowded(context: Context, data: Path, given: Benchmark, unrelated: int) -> None:
    """Print R@10 of one user's questions with its own notes, and with many others beside them."""
    user = Counter(asked.user for asked in given.questions).most_common(1)[0][0]
    asked = [each for each in given.questions if each.user == user]
    access = await open_access(context, f"bench-{given.name}-{user}-crowded", None, register=True)
    own = [row for row in notes_of(data, given.name) if row["user"] == user]
    if await count_notes(context, access, NoteFilter()) < len(own):
        await fill(context, access, own)
    missing = unrelated + len(own) - await count_notes(context, access, NoteFilter())
    if missing > 0:
        access = await open_access(context, access.viewer.user, None)
        await _add_unrelated(context, data, given.name, access, missing)
    access = await open_access(context, access.viewer.user, None)
    for name, viewer in ((f"{len(own)} notes", given.access[user]), (f"+ {unrelated}", access)):
        found = [await _found(context, viewer, each.text) for each in asked]
        shares = [share(one, each.gold, K) for one, each in zip(found, asked, strict=True)]
        print(f"{name:<24} R@10 {100 * fmean(shares):5.1f} of {len(asked)} questions", flush=True)


async def _add_unrelated(
    context: Context, data: Path, but: str, access: Access, count: int
) -> None:
    """Write notes of two sentences each, straight into the graph, in the audience of the rest."""
    known = _sentences(row["content"] for row in notes_of(data, but))  # sets may share texts
    others = [name for name in sets_in(data) if name != but]
    texts = (row["content"] for name in others for row in notes_of(data, name))
    sentences = sorted(_sentences(texts) - known)
    draw, now = random.Random(count), context.clock()
    like = (await list_notes(context, access, NoteFilter(), first=1, after=None)).notes[0]
    for start in range(0, count, BATCH):
        made = [
            _like(like, uuid7(now), " ".join(draw.sample(sentences, 2)))
            for _ in range(min(BATCH, count - start))
        ]
        vectors = await context.embedder.embed_documents([note.content for note in made])
        rows = [
            CreateRow(
                note=note,
                properties={"words": words_of(note), "visibilityByUser": False},
                embedding=vector,
                revisions=[RevisionRow(version=1, changes={})],
            )
            for note, vector in zip(made, vectors, strict=True)
        ]
        user, actor = access.viewer.user, access.viewer.actor
        step = create_step(rows, user=user, actor=actor, now=now)
        await context.graph.write(step, timeout_s=120)


def _sentences(texts: Iterable[str]) -> set[str]:
    return {s for text in texts for s in re.split(r"(?<=[.!?])\s+", text) if len(s) > 20}


def _like(note: Note, new: str, content: str) -> Note:
    return replace(
        note, id=new, content=content, external_id=None, title=None, speaker=None, episode=None
    )


async def run(data: Path, store: Path, name: str, unrelated: int) -> None:
    """Fill, measure and print."""
    async with open_store(store) as context:
        given = await open_set(context, data, name)
        await wordings(context, given)
        if unrelated:
            await crowded(context, data, given, unrelated)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--set", required=True)
    parser.add_argument("--unrelated", type=int, default=100_000)
    given = parser.parse_args()
    asyncio.run(run(given.data, given.store, given.set, given.unrelated))


if __name__ == "__main__":
    main()
