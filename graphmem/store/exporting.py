"""The reads of an export, page by page. Rows have the form that they have in the graph; times are
aware datetimes, or None where the graph stores a sentinel for "never"."""

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
    """Return a page of readable notes, oldest first, and the place after which the next page
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
    at = instant(rows[-1]["at"])  # in UTC: the graph orders equal instants in two zones
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
    """Return the readable ones of the notes, with their mentions and statements about entities."""
    given = {"ids": list(ids), "audiences": list(audiences), "now": now}
    rows = await graph.read("export/notes", **given, whole=whole, vectors=vectors)
    return [_to_plain(row["note"]) for row in rows]


async def read_past(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> AsyncGenerator[tuple[Record, Row]]:
    """Yield the revisions and other wordings of notes."""
    after = ""
    while True:
        given = {"ids": list(ids), "audiences": list(audiences), "now": now, "limit": ROWS}
        rows = await graph.read("export/past", **given, after=after)
        for row in rows:
            yield Record(row["record"]), _to_plain(row["row"])
        if len(rows) < ROWS:
            return
        after = rows[-1]["place"]


async def read_ties(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime, *, whole: bool
) -> AsyncGenerator[tuple[Record, Row]]:
    """Yield the links of notes and the sources that they were made of."""
    after = ""
    while True:
        given = {"ids": list(ids), "audiences": list(audiences), "now": now, "limit": ROWS}
        rows = await graph.read("export/ties", **given, whole=whole, after=after)
        for row in rows:
            yield Record(row["record"]), _to_plain(row["row"])
        if len(rows) < ROWS:
            return
        after = rows[-1]["place"]


async def read_user(graph: Graph, user: str) -> Row | None:
    """Return the settings of a user."""
    row = await graph.read_one("export/user", user=user)
    return None if row is None else _to_plain(row["row"])


async def read_section(
    graph: Graph, record: Record, user: str, now: datetime
) -> AsyncGenerator[Row]:
    """Yield all records of a user of one kind in SETTINGS or HISTORY."""
    read = {**SETTINGS, **HISTORY}[record]
    parameters: dict[str, object] = {"user": user}
    if record is Record.SOP:
        parameters = {"key": Owner(user).key}
    elif record not in (Record.AGENT, Record.RULE, Record.MERGE):
        parameters["now"] = now
    after = "0" if record is Record.RECALL else ""
    while True:
        rows = await read(graph, **parameters, after=after, limit=ROWS)
        for row in rows:
            yield _to_plain(row["row"])
        if len(rows) < ROWS:
            return
        after = rows[-1]["place"]


def _to_plain(value: Any) -> Any:
    match value:
        case dict():
            return {name: _to_plain(each) for name, each in value.items()}
        case list():
            return [_to_plain(each) for each in value]
        case DateTime():
            return instant(value)
        case _:
            return value
