"""Boards of teams in the graph."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from graphmem.domain.commons import MAX_ENTRIES, BoardEntry
from graphmem.domain.visibility import Audience
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.rows import audience_map
from graphmem.store.times import EPOCH


async def list_entries(
    graph: Graph,
    audiences: Sequence[str],
    *,
    team: str | None,
    scope: str | None,
    prefix: str,
    limit: int,
) -> list[BoardEntry]:
    """The readable entries, by team, scope and key."""
    if not audiences:
        return []
    rows = await graph.read_list(
        "board/list",
        audiences=list(audiences),
        team=team,
        scope=scope,
        prefix=prefix,
        limit=limit,
    )
    return [to_entry(row) for row in rows]


async def get_entry(
    graph: Graph, team: str, scope: str, key: str, audience: Audience
) -> tuple[BoardEntry | None, int, int]:
    """An entry, None where there is none; how many its scope has; and the highest version that was
    removed from it."""
    row = await graph.read_one("board/get", team=team, scope=scope, key=key, audience=audience.key)
    assert row is not None
    return to_entry(row["entry"]) if row["entry"] else None, row["entries"], row["removed"] or 0


def put_step(
    team: str,
    scope: str,
    key: str,
    value: object,
    *,
    version: int,
    removed: int,
    audience: Audience,
    actor: str,
    now: datetime,
) -> Step:
    """Puts an entry; its row holds `entry`. Stale when it has another version by now."""
    given = {"team": team, "scope": scope, "key": key, "value": json.dumps(value)}
    place = {
        "version": version,
        "removed": removed,
        "audience": audience_map(audience),
        "most": MAX_ENTRIES,
    }
    return Step("board/put", {**given, **place, "actor": actor, "now": now}, required=True)


def remove_step(team: str, scope: str, key: str, *, version: int, now: datetime) -> Step:
    """Removes an entry. Stale when it has another version by now."""
    given = {"team": team, "scope": scope, "key": key, "version": version, "now": now}
    return Step("board/remove", given, required=True)


def to_entry(row: Row) -> BoardEntry:
    """An entry from its properties."""
    return BoardEntry(
        team=row["team"],
        scope=row["scope"],
        key=row["key"],
        value=json.loads(row["value"]),
        version=row["version"],
        actor=row["actor"],
        updated_at=EPOCH + timedelta(milliseconds=row["updatedAt"]),
    )
