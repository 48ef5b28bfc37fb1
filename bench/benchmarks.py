"""Retrieval benchmarks in a folder of files, put into a store of graphmem's.

`<set>.notes.jsonl` (or `.jsonl.gz`) has a note a line: `user`, `externalId`, `content` and, where
known, `title`, `speaker`, `episode`, `occurredAt` (ISO 8601), `relations` of `subject`, `predicate`
and `object`. `<set>.questions.jsonl` has a question a line: `user`, `question`, `gold` (external
ids), `category` and, where only older notes count, `until` (ISO 8601)."""

import argparse
import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server
from graphmem.domain.notes import NoteDraft, NoteFilter, RelationDraft, WriteMode
from graphmem.errors import TimedOut
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import count_notes
from graphmem.services.recall.recall import RecallResult, recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.remember import remember_many
from graphmem.settings import load_settings

BATCH = 200
AT_ONCE = 4
Row = Mapping[str, Any]
Shares = tuple[float, float]  # R@5, R@10


@dataclass(frozen=True)
class Asked:
    """A question of a benchmark with the external ids of the notes that answer it."""

    user: str
    text: str
    gold: frozenset[str]
    category: str
    until: datetime | None = None

    @property
    def filter(self) -> NoteFilter:
        """Which notes count: those that were there when it was asked."""
        return NoteFilter(until=self.until)


@dataclass(frozen=True)
class Benchmark:
    """A set: the stores of its users, who ask in it."""

    name: str
    questions: tuple[Asked, ...]
    access: Mapping[str, Access]


def _rows(folder: Path, name: str) -> Iterator[Row]:
    plain, packed = folder / name, folder / f"{name}.gz"
    data = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    return map(json.loads, data.splitlines())


def questions_of(folder: Path, name: str) -> tuple[Asked, ...]:
    """The questions of a set."""
    return tuple(
        Asked(
            row["user"],
            row["question"],
            frozenset(row["gold"]),
            row["category"],
            datetime.fromisoformat(row["until"]) if row.get("until") else None,
        )
        for row in _rows(folder, f"{name}.questions.jsonl")
    )


def notes_of(folder: Path, name: str) -> list[Row]:
    """The notes of a set."""
    return list(_rows(folder, f"{name}.notes.jsonl"))


def sets_in(folder: Path) -> list[str]:
    """The sets that a folder has."""
    return sorted(path.name.split(".")[0] for path in folder.glob("*.questions.jsonl"))


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """A command line with `--data`, `--store` and `--sets`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--sets", help="separated by commas; all that the folder has")
    return parser


def sets_of(given: argparse.Namespace) -> list[str]:
    """The sets that the command line asks for."""
    return given.sets.split(",") if given.sets else sets_in(given.data)


def _draft(row: Row) -> NoteDraft:
    at = row.get("occurredAt")
    return NoteDraft(
        content=row["content"],
        title=row.get("title"),
        external_id=row["externalId"],
        speaker=row.get("speaker"),
        episode=row.get("episode"),
        occurred_at=datetime.fromisoformat(at) if at else None,
        relations=tuple(
            RelationDraft(subject=r["subject"], predicate=r["predicate"], object=r["object"])
            for r in row.get("relations") or ()
        ),
    )


async def fill(context: Context, access: Access, notes: Sequence[Row]) -> None:
    """Remember a set's notes word for word."""
    drafts = [(_draft(row), WriteMode.VERBATIM) for row in notes]
    for start in range(0, len(drafts), BATCH):
        results = await remember_many(context, access, drafts[start : start + BATCH])
        for error in (result.error for result in results if result.error is not None):
            raise error


async def open_set(
    context: Context, folder: Path, name: str, *, most: int | None = None
) -> Benchmark:
    """A set, put into the store unless its notes are there already; `most`: of the first users."""
    questions, access = questions_of(folder, name), dict[str, Access]()
    notes = notes_of(folder, name)
    users = [*dict.fromkeys(each.user for each in questions)][:most]
    questions = tuple(each for each in questions if each.user in users)
    for user in users:
        own = [row for row in notes if row["user"] == user]
        access[user] = await open_access(context, f"bench-{name}-{user}", None, register=True)
        if await count_notes(context, access[user], NoteFilter()) < len(own):
            await fill(context, access[user], own)
            access[user] = await open_access(context, f"bench-{name}-{user}", None)
    return Benchmark(name, questions, access)


@asynccontextmanager
async def open_store(store: Path) -> AsyncIterator[Context]:
    """The services over a data folder, with the real embedding model."""
    settings = load_settings({"data": store, "neo4j_heap": "2g", "neo4j_page_cache": "1g"})
    async with (
        open_server(settings) as address,
        connect_context(settings, create_embedder(DEFAULT_MODEL), address, patience_s=60) as opened,
    ):
        yield opened


def share(found: Sequence[str | None], gold: frozenset[str], k: int) -> float:
    """The share of the gold notes among the first k."""
    return len(gold & set(found[:k])) / len(gold)


async def ask(context: Context, access: Access, question: RecallRequest) -> RecallResult:
    """A recall; again where the machine was too busy for it. Raises TimedOut after the third."""
    for _ in range(2):
        with suppress(TimedOut):
            return await recall(context, access, question)
    return await recall(context, access, question)


async def shares_of(context: Context, given: Benchmark, hops: int = 2) -> list[Shares]:
    """R@5 and R@10 of each question."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(asked: Asked) -> Shares:
        question = RecallRequest(
            query=asked.text, k=10, hops=hops, track=False, filter=asked.filter
        )
        async with turn:
            answer = await ask(context, given.access[asked.user], question)
        found = [hit.note.external_id for hit in answer.hits]
        return share(found, asked.gold, 5), share(found, asked.gold, 10)

    return list(await asyncio.gather(*map(one, given.questions)))
