"""Secrets in texts that the graph holds already."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphmem.language.text_features import text_key
from graphmem.store.graph import Graph, Row

PAST: Final = 20  # revisions or wordings read by one query: each has up to MAX_CONTENT characters


@dataclass(frozen=True, kw_only=True)
class NoteTexts:
    """Each text that a note has."""

    audience: str
    version: int
    texts: tuple[str, ...]
    metadata: str | None
    trigger: str | None  # of a skill
    lent_tags: tuple[str, ...]  # by other notes
    given_tags: tuple[str, ...]  # by the writer


async def list_changed(
    graph: Graph, user: str, since: datetime, after: str, limit: int, now: datetime
) -> list[str]:
    """List the ids of a user's notes that were changed since a time, after one by id."""
    rows = await graph.read(
        "secrets/after", user=user, since=since, after=after, limit=limit, now=now
    )
    return [row["id"] for row in rows]


async def read_texts(graph: Graph, user: str, note: str, now: datetime) -> NoteTexts | None:
    """Return the texts of a note of a user."""
    row = await graph.read_one("secrets/texts", user=user, id=note, now=now)
    if row is None:
        return None
    texts = tuple(filter(None, row["texts"]))
    return NoteTexts(
        audience=row["audience"],
        version=row["version"],
        texts=texts,
        metadata=row["metadata"],
        trigger=row["trigger"],
        lent_tags=tuple(row["lentTags"]),
        given_tags=tuple(row["givenTags"]),
    )


async def pages_of_revisions(graph: Graph, note: str) -> AsyncGenerator[list[Row]]:
    """Yield what a note said, by version, in pages."""
    after = -1
    while rows := await graph.read("secrets/revisions", id=note, after=after, limit=PAST):
        yield rows
        after = rows[-1]["version"]


async def pages_of_wordings(graph: Graph, note: str) -> AsyncGenerator[list[Row]]:
    """Yield the wordings of a note, by id, in pages."""
    after = ""
    while rows := await graph.read("secrets/wordings", id=note, after=after, limit=PAST):
        yield rows
        after = rows[-1]["id"]


async def cut_past(
    graph: Graph, note: str, revisions: Sequence[Row], wordings: Sequence[Row]
) -> None:
    """Put other texts in the place of those that a note had."""
    keyed: list[dict[str, Any]] = [
        {**each, "textKey": text_key(each["content"])} for each in revisions
    ]
    row = {"id": note, "revisions": keyed, "wordings": list(wordings)}
    await graph.write_one("secrets/cut", rows=[row])


async def read_seen(graph: Graph, user: str) -> str | None:
    """Return how far the notes of a user are looked through."""
    row = await graph.read_one("secrets/seen", user=user)
    return None if row is None else row["seen"]


async def keep_seen(graph: Graph, user: str, seen: str | None) -> None:
    """Keep how far the notes of a user are looked through."""
    await graph.write_one("secrets/keep_seen", user=user, seen=seen)
