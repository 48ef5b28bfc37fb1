"""Alerts in the graph: changes of the files that agents depend on."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from graphmem.domain.alerts import FILE_KEYS, Alert, LostFile, file_of
from graphmem.domain.notes import Note, Revision
from graphmem.store.graph import Graph, Step
from graphmem.store.notes import revisions_of
from graphmem.store.times import EPOCH


async def changed_files(
    graph: Graph, user: str, agent: str | None, audiences: Sequence[str], now: datetime
) -> dict[str, int]:
    """Return the readable files of a user that have changed since the user confirmed them and, if
    an agent is given, since the agent was notified: by id, the version that was confirmed or
    reported."""
    rows = await graph.read(
        "alerts/changed",
        user=user,
        agent=agent,
        audiences=list(audiences),
        keys=list(FILE_KEYS),
        now=now,
    )
    return {row["id"]: row["since"] for row in rows}


async def list_edits(
    graph: Graph, since: Mapping[str, int], audiences: Sequence[str], now: datetime, limit: int
) -> dict[str, list[Revision]]:
    """Return the newest revisions of each readable file after a version, newest first, followed by
    the last revision up to that version."""
    rows = [{"id": note, "since": version} for note, version in since.items()]
    found = await graph.read(
        "alerts/edits", rows=rows, audiences=list(audiences), now=now, limit=limit
    )
    return revisions_of(found)


def record_alerts_step(user: str, agent: str, alerts: Sequence[Alert], now: datetime) -> Step:
    """Record that an agent is notified of these alerts. Raises Stale when a file has changed
    meanwhile."""
    rows = [
        {
            "id": alert.note.id,
            "version": alert.note.version,
            "audience": alert.note.audience.key,
        }
        for alert in sorted(alerts, key=lambda each: each.note.id)
    ]
    given = {"user": user, "agent": agent, "rows": rows, "now": now}
    return Step("alerts/tell", given, required=True)


def confirm_step(user: str, note: Note, version: int, now: datetime) -> Step:
    """Record that the user has confirmed a file up to a version. Raises Stale when it was
    confirmed, or moved, meanwhile."""
    given = {"user": user, "id": note.id, "audience": note.audience.key, "version": version}
    return Step("alerts/confirm", {**given, "now": now}, required=True)


def record_lost_files_step(
    user: str, notes: Sequence[Note], *, actor: str, expected: bool, now: datetime
) -> Step:
    """Record that files were destroyed; unless that is `expected`, the user is asked about it."""
    rows = [
        {
            "file": file_of(note),
            "id": note.id,
            "version": note.version,
            "audience": note.audience.key,
            "domain": note.domain,
        }
        for note in notes
    ]
    given = {"user": user, "rows": rows, "actor": actor, "expected": expected, "now": now}
    return Step("alerts/lose", given)


async def lost_files(
    graph: Graph, user: str, agent: str | None, audiences: Sequence[str], *, asked: bool
) -> list[LostFile]:
    """Return the files of the user that were destroyed, latest first, without those that the agent
    was notified of. With `asked`, return those that the user still has to be asked about."""
    given = {"user": user, "agent": agent, "audiences": list(audiences), "asked": asked}
    return [
        LostFile(
            file=row["file"],
            id=row["id"],
            version=row["version"],
            audience=row["audience"],
            domain=row["domain"],
            at=EPOCH + timedelta(milliseconds=row["at"]),
            by=row["actor"],
        )
        for row in await graph.read_list("alerts/lost", **given)
    ]


def record_lost_alerts_step(user: str, agent: str, lost: Sequence[LostFile]) -> Step:
    """Record that an agent was notified of these destroyed files."""
    ids = sorted(each.id for each in lost)
    return Step("alerts/tell_lost", {"user": user, "agent": agent, "ids": ids})


def confirm_lost_step(user: str, lost: LostFile, now: datetime) -> Step:
    """Record that the user knows of a destroyed file. Raises Stale when that was recorded
    before."""
    given = {"user": user, "id": lost.id, "now": now}
    return Step("alerts/confirm_lost", given, required=True)


async def tampered_files(
    graph: Graph, after: str, now: datetime, limit: int
) -> list[tuple[str, list[str]]]:
    """Return users in the order of their ids, after one, each with the files whose text differs
    from that of their newest revision."""
    rows = await graph.read(
        "alerts/tampered", after=after, keys=list(FILE_KEYS), now=now, limit=limit
    )
    return [(row["user"], row["notes"]) for row in rows]
