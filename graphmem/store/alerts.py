"""Alerts about files in the graph."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.alerts import FILE_KEYS, Alert
from graphmem.store.graph import Graph, Step


async def changed_files(
    graph: Graph, user: str, audiences: Sequence[str], now: datetime
) -> dict[str, int]:
    """The readable files of a user that have changed since the user was told of them: the version
    that was told of each, by id."""
    rows = await graph.read(
        "alerts/changed", user=user, audiences=list(audiences), keys=list(FILE_KEYS), now=now
    )
    return {row["id"]: row["told"] for row in rows}


def tell_step(alerts: Sequence[Alert], now: datetime) -> Step:
    """Keeps that the user is told of these; Stale when somebody else was told meanwhile, or when a
    file has changed."""
    rows = [
        {
            "id": alert.note.id,
            "version": alert.note.version,
            "audience": alert.note.audience.key,
            "told": alert.told_version,
        }
        for alert in sorted(alerts, key=lambda each: each.note.id)
    ]
    return Step("alerts/tell", {"rows": rows, "now": now}, required=True)


async def tampered_files(
    graph: Graph, after: str, now: datetime, limit: int
) -> list[tuple[str, list[str]]]:
    """Users in the order of their ids, after one, each with the files whose text is not that of
    their newest revision."""
    rows = await graph.read(
        "alerts/tampered", after=after, keys=list(FILE_KEYS), now=now, limit=limit
    )
    return [(row["user"], row["notes"]) for row in rows]
