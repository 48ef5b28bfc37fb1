"""What an export reads of the graph, page by page. Rows are as the graph has them; times are aware
datetimes, None where they stand for "never"."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from neo4j.time import DateTime

from graphmem.domain.notes import BEGINNING
from graphmem.domain.owners import Owner
from graphmem.domain.portable import Record
from graphmem.store.graph import Graph, Row
from graphmem.store.times import instant

PAGE: Final = 100  # notes
ROWS: Final = 200
Read = Callable[..., Awaitable[list[Row]]]
SETTINGS: Final[Mapping[Record, Read]] = {  # of a user
    Record.AGENT: lambda graph, **given: graph.read("export/agents", **given),
    Record.RULE: lambda graph, **given: graph.read("export/rules", **given),
    Record.SHARE: lambda graph, **given: graph.read("export/shares", **given),
    Record.SOP: lambda graph, **given: graph.read("export/sops", **given),
}
HISTORY: Final[Mapping[Record, Read]] = {
    Record.MERGE: lambda graph, **given: graph.read("export/merges", **given),
    Record.CONFLICT: lambda graph, **given: graph.read("export/conflicts", **given),
    Record.SESSION: lambda graph, **given: graph.read("export/sessions", **given),
    Record.RECALL: lambda graph, **given: graph.read("export/recalls", **given),
    Record.REFLECTION: lambda graph, **given: graph.read("export/reflections", **given),
    Record.PROPOSAL: lambda graph, **given: graph.read("export/proposals", **given),
}
BEFORE_ALL: Final = (BEGINNING, "")


async def note_ids(
    graph: Graph, audiences: Sequence[str], after: tuple[datetime, str], now: datetime
) -> tuple[list[str], tuple[datetime, str]]:
    """Return a page of readable notes, oldest first, and the place after which the next one
    begins."""
    rows = await graph.read(
        "export/ids",
        audiences=list(audiences),
        afterAt=after[0],
        afterId=after[1],
        now=now,
        limit=PAGE,
    )
    if not rows:
        return [], after
    at = instant(rows[-1]["at"])  # in UTC: of two names of one zone one would come before the other
    assert at is not None
    return [row["id"] for row in rows], (at, rows[-1]["id"])


async def read_notes(
    graph: Graph,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    *,
    whole: bool,
    vectors: bool,
) -> list[Row]:
    """Return the readable ones of the notes, with what they mention and say of entities."""
    given = {"ids": list(ids), "audiences": list(audiences), "now": now}
    rows = await graph.read("export/notes", **given, whole=whole, vectors=vectors)
    return [_plain(row["note"]) for row in rows]


async def read_past(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> AsyncGenerator[tuple[Record, Row]]:
    """Yield the revisions and other wordings of notes."""
    after = ""
    while True:
        given = {"ids": list(ids), "audiences": list(audiences), "now": now, "limit": ROWS}
        rows = await graph.read("export/past", **given, after=after)
        for row in rows:
            yield Record(row["record"]), _plain(row["row"])
        if len(rows) < ROWS:
            return
        after = rows[-1]["place"]


async def read_ties(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime, *, whole: bool
) -> AsyncGenerator[tuple[Record, Row]]:
    """Yield the links of notes and what they were made of."""
    after = ""
    while True:
        given = {"ids": list(ids), "audiences": list(audiences), "now": now, "limit": ROWS}
        rows = await graph.read("export/ties", **given, whole=whole, after=after)
        for row in rows:
            yield Record(row["record"]), _plain(row["row"])
        if len(rows) < ROWS:
            return
        after = rows[-1]["place"]


async def read_user(graph: Graph, user: str) -> Row | None:
    """Return what a user has set."""
    row = await graph.read_one("export/user", user=user)
    return None if row is None else _plain(row["row"])


async def read_section(
    graph: Graph, record: Record, user: str, now: datetime
) -> AsyncGenerator[Row]:
    """Yield all that a user has of a kind of record in SETTINGS or HISTORY."""
    read = {**SETTINGS, **HISTORY}[record]
    beside: dict[str, object] = {"user": user}
    if record is Record.SOP:
        beside = {"key": Owner(user).key}
    elif record not in (Record.AGENT, Record.RULE, Record.MERGE):
        beside["now"] = now
    after = "0" if record is Record.RECALL else ""
    while True:
        rows = await read(graph, **beside, after=after, limit=ROWS)
        for row in rows:
            yield _plain(row["row"])
        if len(rows) < ROWS:
            return
        after = rows[-1]["place"]


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {name: _plain(each) for name, each in value.items()}
        case list():
            return [_plain(each) for each in value]
        case DateTime():
            return instant(value)
        case _:
            return value
