"""Events in the graph."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.domain.actors import agent_of
from graphmem.domain.alerts import Sensitivity
from graphmem.domain.events import CHANNELS, MAX_SEQ, TYPES, Event, draw_offsets
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import BEGINNING, NEVER, Operation
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.rows import EventRow, complete_rows, to_query_rows
from graphmem.store.times import from_milliseconds

_OPERATIONS = {
    "CREATE": Operation.ADD,
    "ARCHIVE": Operation.DELETE,
    "DELETE": Operation.DELETE,
}  # the other types of events change a note
_NEVER_NULL = ("id", "seq", "at", "type", "channel", "actor", "summary", "data")


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
    other: tuple[str, str] | None = None,
) -> EventRow:
    """Build an event to append, for readers of its audience; `other` is the id and the audience of
    another note that it is also about, for readers of both. Raises ValueError for a type or channel
    that nobody could subscribe to."""
    if kind not in TYPES or channel not in CHANNELS:
        raise ValueError(f"no event has the type {kind} and the channel {channel}")
    other_id, other_audience = other or (None, None)
    return EventRow(
        id=uuid7(at),
        at=at,
        type=kind,
        channel=channel,
        actor=actor,
        subject_id=subject_id,
        domain=domain,
        audience=audience,
        other_id=other_id,
        other_audience=None if other_audience == audience else other_audience,
        summary=summary,
        data=json.dumps({} if data is None else data),
    )


def append_step(
    stream: str,
    rows: Sequence[EventRow],
    *,
    access_version: int | None = None,
    agent: str | None = None,
    most: int | None = None,
) -> Step:
    """Append events to a user's stream. If there are rows, nothing is done when the user is erased
    or, with an `access_version`, when rules or profiles of the user have changed since; with
    `most`, when the agent, or the user in person, has written for more audiences by now."""
    checked = access_version if rows else None
    found = draw_offsets([_readers(row) for row in rows])
    placed = [
        {"event": row, "offset": at} for row, at in zip(to_query_rows(rows), found, strict=True)
    ]
    given = {"stream": stream, "rows": placed, "accessVersion": checked}
    required = bool(rows) or most is not None
    return Step("events/append", {**given, "agent": agent, "most": most}, required=required)


def append_each_step(rows: Mapping[str, EventRow]) -> Step:
    """Append one event to each of some streams, given by name. This step checks nothing: another
    step of the same transaction has to."""
    streams = sorted(rows)
    events = to_query_rows([rows[stream] for stream in streams])
    placed = [
        {"stream": stream, "event": event, "offset": draw_offsets([_readers(rows[stream])])[0]}
        for stream, event in zip(streams, events, strict=True)
    ]
    return Step("events/append_each", {"rows": placed})


def _readers(row: EventRow) -> str:
    """Return the readers of an event as one text: an audience, or two if its readers must read
    both."""
    both = (row.audience, row.other_audience)
    return " ".join(audience for audience in both if audience is not None)


async def list_events(
    graph: Graph,
    stream: str,
    audiences: Sequence[str],
    *,
    after: int = 0,
    before: int | None = None,
    newest_first: bool = False,
    types: Sequence[str] | None = None,
    channels: Sequence[str] | None = None,
    actor: str | None = None,
    subject_id: str | None = None,
    domain: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    now: datetime = BEGINNING,
    limit: int,
) -> list[Event]:
    """Return readable events after one number and before another, oldest first or newest first;
    `now` decides which notes have expired."""

    given = {
        "stream": stream,
        "audiences": list(audiences),
        "after": after,
        "before": MAX_SEQ + 1 if before is None else before,
        "types": None if types is None else list(types),
        "channels": None if channels is None else list(channels),
        "actor": actor,
        "subjectId": subject_id,
        "domain": domain,
        "since": since or BEGINNING,
        "until": until or NEVER,
        "now": now,
        "limit": limit,
    }

    async def read() -> list[Row]:
        if newest_first:
            return await graph.read_list("events/list_newest", **given)
        return await graph.read_list("events/list", **given)

    rows = await read()
    if len(complete_rows(rows, *_NEVER_NULL)) < len(rows):
        rows = await read()  # a page short of destroyed notes would look like the last
    return [_to_event(row) for row in complete_rows(rows, *_NEVER_NULL)]


def _to_event(row: Row) -> Event:
    return Event(
        id=row["id"],
        seq=row["seq"],
        at=from_milliseconds(row["at"]),
        type=row["type"],
        channel=row["channel"],
        actor=row["actor"],
        subject_id=row["subjectId"],
        domain=row["domain"],
        summary=row["summary"],
        data=_data(row),
    )


def _data(row: Row) -> object:
    """Return the data stored with an event. For a change of a note, add what siblings need in order
    to know of it (MUMA-79), with a sentence of the note as it may be read now, which no event
    stores."""
    kept, note = json.loads(row["data"]), row["note"]
    is_of_note = note is not None or (row["type"] == "DELETE" and row["domain"] is not None)
    if row["channel"] != "memory_update" or not is_of_note or not isinstance(kept, dict):
        return kept
    return {
        "event": "memory_write",
        "agent_id": agent_of(row["actor"]),
        "note_id": row["subjectId"],
        "operation": _OPERATIONS.get(row["type"], Operation.UPDATE),
        "domain": row["domain"],
        "summary": note or None,
        "sensitivity": Sensitivity.STANDARD,  # if nothing else was kept
        **kept,
    }


async def newest(graph: Graph, streams: Sequence[str]) -> dict[str, int]:
    """Return the last number of each stream; never show it to clients, because the last event may
    be a hidden one."""
    rows = await graph.read("events/newest", streams=list(streams))
    return {row["name"]: row["seq"] for row in rows}


async def count_after(
    graph: Graph, stream: str, audiences: Sequence[str], after: int, most: int
) -> int:
    """Count the readable events after a number, up to `most`."""
    rows = await graph.read(
        "events/count_after", stream=stream, audiences=list(audiences), after=after, most=most
    )
    return rows[0]["events"]


async def last_seq(graph: Graph, stream: str, audiences: Sequence[str]) -> int:
    """Return the number of the last readable event, 0 when there is none."""
    rows = await graph.read("events/last", stream=stream, audiences=list(audiences))
    return rows[0]["seq"]
