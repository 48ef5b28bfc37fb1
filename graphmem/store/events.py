"""Events in the graph."""

import json
from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.events import Event
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import BEGINNING, NEVER
from graphmem.store.graph import Graph, Row, Step


def event_row(
    kind: str,
    summary: str,
    *,
    audience: str,
    actor: str,
    at: datetime,
    subject_id: str | None = None,
    domain: str | None = None,
    channel: str = "memory_update",
    data: object = None,
) -> Row:
    """An event to append."""
    return {
        "id": uuid7(at),
        "at": at,
        "type": kind,
        "channel": channel,
        "actor": actor,
        "subjectId": subject_id,
        "domain": domain,
        "audience": audience,
        "summary": summary,
        "data": json.dumps({} if data is None else data),
    }


def append_step(stream: str, rows: Sequence[Row], of_merges: Sequence[Row] = ()) -> Step:
    """Appends events to a user's stream; of those `of_merges`, {merge, row}, the ones whose merge
    came about in the steps before."""
    return Step(
        "events/append", {"stream": stream, "rows": list(rows), "ofMerges": list(of_merges)}
    )


async def list_events(
    graph: Graph,
    stream: str,
    audiences: Sequence[str],
    *,
    after: int = 0,
    types: Sequence[str] | None = None,
    channels: Sequence[str] | None = None,
    actor: str | None = None,
    subject_id: str | None = None,
    domain: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int,
) -> list[Event]:
    """Readable events after a number, oldest first."""
    rows = await graph.read_list(
        "events/list",
        stream=stream,
        audiences=list(audiences),
        after=after,
        types=None if types is None else list(types),
        channels=None if channels is None else list(channels),
        actor=actor,
        subjectId=subject_id,
        domain=domain,
        since=since or BEGINNING,
        until=until or NEVER,
        limit=limit,
    )
    return [_to_event(row) for row in rows]


def _to_event(row: Row) -> Event:
    return Event(
        id=row["id"],
        seq=row["seq"],
        at=row["at"].to_native(),
        type=row["type"],
        channel=row["channel"],
        actor=row["actor"],
        subject_id=row["subjectId"],
        domain=row["domain"],
        summary=row["summary"],
        data=json.loads(row["data"]),
    )


async def newest(graph: Graph, streams: Sequence[str]) -> dict[str, tuple[int, int]]:
    """How far each stream has got, and the number of its first kept event."""
    rows = await graph.read("events/newest", streams=list(streams))
    return {row["name"]: (row["seq"], row["firstSeq"]) for row in rows}
