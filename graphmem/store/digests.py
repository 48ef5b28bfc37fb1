"""Old events and the digests of their months in the graph."""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from datetime import datetime

from graphmem.domain.digests import Digest, OldEvent
from graphmem.domain.events import Event
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.times import from_milliseconds


async def users_with_old_events(
    graph: Graph, after: str, *, before: datetime, limit: int
) -> list[str]:
    """Return users with events or recalls from before an instant, by id after one."""
    rows = await graph.read("job:digest_audit", after=after, before=before, limit=limit)
    return [row["user"] for row in rows]


async def old_events(graph: Graph, user: str, *, before: datetime, limit: int) -> list[OldEvent]:
    """Return the oldest events of a user from before an instant."""
    rows = await graph.read_list("audit/old", user=user, before=before, limit=limit)
    return [OldEvent(event=_to_event(row), own=row["own"]) for row in rows]


def _to_event(row: Row) -> Event:
    return Event(
        id=row["id"],
        seq=row["seq"],
        at=from_milliseconds(row["at"]),
        type=row["type"],
        channel=row["channel"],
        actor=row["actor"],
        subject_id=row["subjectId"],
        domain=None,
        summary=row["summary"],
        data=json.loads(row["data"] or "{}"),
    )


async def forget_recalls(graph: Graph, user: str, *, before: datetime, limit: int) -> int:
    """Delete at most `limit` records of a user's recalls from before an instant; return the number
    deleted."""
    row = await graph.write_one("audit/forget_recalls", user=user, before=before, limit=limit)
    return 0 if row is None else row["gone"]


async def list_digests(
    graph: Graph, user: str, *, months: Iterable[str] | None = None, limit: int
) -> list[Digest]:
    """Return a user's digests, newest first; those of some months, or all."""
    wanted = None if months is None else sorted(months)
    rows = await graph.read_list("audit/months", user=user, months=wanted, limit=limit)
    return [Digest(month=row["month"], **json.loads(row["numbers"])) for row in rows]


async def marks_of_months(graph: Graph, user: str, months: Iterable[str]) -> Mapping[str, Set[str]]:
    """Return the marks of the files that the digests of months count, by month."""
    wanted = sorted(months)
    rows = await graph.read_list("audit/marks", user=user, months=wanted, limit=len(wanted) or 1)
    return {row["month"]: frozenset(row["marks"]) for row in rows}


def digest_step(
    user: str,
    digests: Sequence[Digest],
    marks: Mapping[str, Set[str]],
    ids: Sequence[str],
    *,
    now: datetime,
) -> Step:
    """Store digests and delete the events that they replace.

    `marks`: those of the files of each month. Raises Stale when one of the events is already gone.
    """
    rows = [
        {"month": each.month, "numbers": _numbers(each), "marks": sorted(marks[each.month])}
        for each in digests
    ]
    given = {"user": user, "digests": rows, "ids": list(ids), "now": now}
    return Step("audit/digest", given, required=True)


async def forget_marks(graph: Graph, user: str, *, before: str) -> None:
    """Delete the marks of files of a user's months before one: nothing is added to those."""
    await graph.write(Step("audit/forget_marks", {"user": user, "before": before}))


def _numbers(digest: Digest) -> str:
    numbers = asdict(digest)
    del numbers["month"]
    return json.dumps(numbers, ensure_ascii=False)
