"""Writes notes as one viewer, with a clock and vectors that a test sets."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.domain.notes import Note, NoteDraft, Status, WriteMode
from graphmem.domain.writing import UpdateVerdict
from graphmem.services import actors
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import load_many
from graphmem.services.writing.remember import Remembered, remember, remember_many

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass
class Clock:
    """Goes on by a minute whenever it is looked at."""

    now: datetime = START

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@dataclass
class Vectors:
    """An embedder that knows the vectors of some texts, so that cosines can be chosen."""

    base: Any
    known: dict[str, list[float]] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        made = await self.base.embed_documents(texts)
        return [self.known.get(text, vector) for text, vector in zip(texts, made, strict=True)]

    def place(self, text: str, cosine: float, axis: int) -> None:
        """Put a text at a cosine from the axis (at 1.0: on it)."""
        vector = [0.0] * self.base.dimension
        vector[2 * axis], vector[2 * axis + 1] = cosine, (1 - cosine**2) ** 0.5
        self.known[text] = vector


@dataclass
class Judge:
    """Says of every pair what a test tells it to, and remembers what it was asked."""

    says: UpdateVerdict
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def verdicts(self, pairs: Sequence[tuple[str, str]]) -> list[UpdateVerdict]:
        self.asked += pairs
        return [self.says for _ in pairs]


@dataclass
class Writer:
    """Writes and reads as one viewer."""

    context: Context
    user: str
    agent: str | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.context, name)

    async def access(self) -> Access:
        return await actors.open_access(self.context, self.user, self.agent, register=True)

    def as_agent(self, agent: str) -> "Writer":
        return replace(self, agent=agent)

    async def say(self, content: str, **given: Any) -> Remembered:
        mode = given.pop("mode", WriteMode.CURATED)
        draft = NoteDraft(content=content, **given)
        return await remember(self.context, await self.access(), draft, mode)

    async def many(self, drafts: Sequence[NoteDraft]) -> list[Remembered]:
        given = [(draft, WriteMode.CURATED) for draft in drafts]
        return await remember_many(self.context, await self.access(), given)

    async def note(self, note: Note | None) -> Note:
        assert note is not None
        return (await load_many(self.context, await self.access(), [note.id]))[note.id]

    async def live(self) -> dict[str, Note]:
        """The live notes by text."""
        access = await self.access()
        answer = await self.context.graph._driver.execute_query(  # pyright: ignore
            "MATCH (n:Note {user: $user}) RETURN n.id AS id", user=self.user
        )
        loaded = await load_many(self.context, access, [r["id"] for r in answer.records])
        states = (Status.ACTIVE, Status.FADING, Status.DORMANT)
        return {note.content: note for note in loaded.values() if note.status in states}

    async def rows(self, query: str, **given: Any) -> list[list[Any]]:
        """What the graph itself says."""
        driver = self.context.graph._driver  # pyright: ignore
        answer = await driver.execute_query(query, user=self.user, **given)
        return [record.values() for record in answer.records]
