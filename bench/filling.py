"""Fills a store with synthetic notes for measuring: through the service, or straight to the graph.

1,000 notes a user, or as many as there are: 15 words each, drawn by Zipf from 20,000; four
audiences; a tenth with a title, three tenths naming such a title; unit vectors around 50 centres
instead of encoded ones, since encoding a million texts says nothing about graphmem.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, islice
from pathlib import Path

import numpy as np

from graphmem.ai.embedder import DEFAULT_MODEL, Embedder
from graphmem.app import connect_context, open_server
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Note, NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.language.naming.matching import is_cased
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.writing.remember import remember_many
from graphmem.services.writing.words import words_of
from graphmem.settings import Settings, load_settings
from graphmem.store.changes import Mentions, create_step
from graphmem.store.rows import CreateRow, MentionRow, RevisionRow

DIMENSION = 384
NOTES_A_USER = 1_000
WORDS = 20_000
THROUGH_SERVICE = 100_000  # notes; a bigger store would take hours
AT_ONCE = 4  # users, so that Python makes notes while Neo4j writes others


class Vectors:
    """Stands in for the model while the store is filled: unit vectors around 50 centres."""

    model_id = DEFAULT_MODEL
    dimension = DIMENSION

    def __init__(self) -> None:
        """Draw the centres."""
        self.words = Words(5)
        self._random = np.random.default_rng(7)
        self._centres = self._random.normal(size=(50, DIMENSION))

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        chosen = self._centres[self._random.integers(0, 50, len(texts))]
        drawn = chosen + 0.8 * self._random.normal(size=(len(texts), DIMENSION))
        return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).tolist()

    async def embed_query(self, text: str) -> list[float]:
        """One vector."""
        return (await self.embed_documents([text]))[0]

    def count_tokens(self, text: str) -> int:
        """An estimate."""
        return len(text) // 4

    async def ready(self) -> None:
        """At once."""

    async def close(self) -> None:
        """Nothing to close."""


class Words:
    """Draws sentences of words by Zipf."""

    def __init__(self, seed: int) -> None:
        """Make the vocabulary."""
        self.random = random.Random(seed)
        syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or")]
        draw = random.Random(1)
        self._words = ["".join(draw.choices(syllables, k=3)) for _ in range(WORDS)]
        self._weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))

    def sentence(self, length: int = 15) -> str:
        """A sentence."""
        words = self.random.choices(self._words, cum_weights=self._weights, k=length)
        return " ".join(words).capitalize() + "."


def notes_of(words: Words, user: int, count: int) -> list[NoteDraft]:
    """A user's notes: in four audiences, a tenth with a title, three tenths naming such a title."""
    titles = [f"{words.sentence(2)[:-1].title()} {user}" for _ in range(count // 10)]
    drafts = []
    for i in range(count):
        text = words.sentence()
        if i % 10 in (3, 5, 7):
            text = f"{text} See {words.random.choice(titles)}."
        domain, visibility = (("work/sales", None), ("work/code", None), ("home", None))[i % 3]
        if i % 20 == 0:
            visibility = Visibility.PRIVATE
        title = titles[i // 10] if i % 10 == 0 else None
        drafts.append(NoteDraft(content=text, title=title, domain=domain, visibility=visibility))
    return drafts


def users_of(total: int) -> int:
    """How many users have so many notes."""
    return max(total // NOTES_A_USER, 1)


async def fill(data: Path, total: int, through_service: int = THROUGH_SERVICE) -> float:
    """Fill the folder's store, straight to the graph if it gets more notes than `through_service`;
    notes a second, encoding not counted."""
    vectors, began = Vectors(), time.perf_counter()
    settings = settings_of(data, total)
    async with (
        open_server(settings) as address,
        connect_context(settings, vectors, address, patience_s=60) as context,
    ):
        await write_users(context, vectors, total, through_service=through_service)
    return total / (time.perf_counter() - began)


async def write_users(
    context: Context,
    vectors: Embedder,
    total: int,
    turn: int = 0,
    through_service: int = THROUGH_SERVICE,
) -> None:
    """Write so many notes of users with NOTES_A_USER each; with another `turn`, other notes."""
    words, users = Words(total + turn), iter(range(users_of(total)))
    first: Sequence[Note] = ()
    for user in users:
        access = await open_access(context, f"user{user}", None, register=True)
        drafts = notes_of(words, user, min(total, NOTES_A_USER))
        written: list[Note] = []
        for start in range(0, len(drafts), 500):
            batch = [(draft, WriteMode.VERBATIM) for draft in drafts[start : start + 500]]
            results = await remember_many(context, access, batch)
            written += [result.note for result in results if result.note]
        first = first or written
        if total > through_service:
            break

    async def write_like_first(user: int) -> None:
        access = await open_access(context, f"user{user}", None, register=True)
        drafts = notes_of(words, user, NOTES_A_USER)
        await _write_like(context, access, first, drafts, vectors)

    while some := list(islice(users, AT_ONCE)):
        await asyncio.gather(*map(write_like_first, some))


async def write_owner(context: Context, vectors: Embedder, user: str, total: int) -> None:
    """Write so many notes of one user: the first NOTES_A_USER through the service, the others like
    them, straight to the graph."""
    words = Words(total + 11)
    access = await open_access(context, user, None, register=True)
    first: list[Note] = []
    for part, start in enumerate(range(0, total, NOTES_A_USER)):
        drafts = notes_of(words, part, min(NOTES_A_USER, total - start))
        if start:
            await _write_like(context, access, first[: len(drafts)], drafts, vectors)
            continue
        for begin in range(0, len(drafts), 500):
            batch = [(draft, WriteMode.VERBATIM) for draft in drafts[begin : begin + 500]]
            results = await remember_many(context, access, batch)
            first += [result.note for result in results if result.note]


def settings_of(data: Path, total: int) -> Settings:
    """The settings of a store of this size: a million notes don't fit into a small page cache."""
    big = total > THROUGH_SERVICE
    return load_settings(
        {
            "data": data,
            "neo4j_heap": "3g" if big else "2g",
            "neo4j_page_cache": "6g" if big else "1g",
        }
    )


async def _write_like(
    context: Context,
    access: Access,
    first: Sequence[Note],
    drafts: Sequence[NoteDraft],
    vectors: Embedder,
) -> None:
    """A user's notes with all that VERBATIM writes but events, in one transaction of one step."""
    user, now = access.viewer.user, context.clock()
    made = [
        replace(
            note,
            id=uuid7(now),
            user=user,
            content=draft.content,
            title=draft.title,
            domain=draft.domain or note.domain,
            visibility=draft.visibility or Visibility.SCOPED,
            created_at=now,
            updated_at=now,
        )
        for note, draft in zip(first, drafts, strict=True)
    ]
    drawn = await vectors.embed_documents([note.content for note in made])
    rows = [
        CreateRow(
            note=note,
            properties={"words": words_of(note), "visibilityByUser": False},
            embedding=vector,
            revisions=[RevisionRow(version=1, changes={})],
        )
        for note, vector in zip(made, drawn, strict=True)
    ]
    said = Mentions(mentions=[row for note in made for row in _mentions(note)])
    step = create_step(rows, said, user=user, actor=access.viewer.actor, now=now)
    await context.graph.write(step, timeout_s=120)


def _mentions(note: Note) -> list[MentionRow]:
    """Its own title, and the title that its text names."""
    named = note.content.partition(" See ")[2].removesuffix(".")
    return [
        MentionRow(
            note_id=note.id,
            key=name_key(name),
            name=name,
            type="thing",
            cased=is_cased(name),
            keys=[name_key(name)],
            names=[name],
            given=given,
        )
        for name, given in ((note.title, True), (named, False))
        if name
    ]
