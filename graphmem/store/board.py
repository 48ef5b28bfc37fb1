"""Boards of teams in the graph."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.domain.commons import MAX_EMPTY, MAX_ENTRIES, BoardEntry
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
    """Return the readable entries, by team, scope and key."""
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


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The present state of a place on a board."""

    entry: BoardEntry | None
    entries: int  # of its scope
    removed: int  # the highest version that was removed from the scope
    scopes: int  # others that the board has, counted where its own is empty


async def read_place(graph: Graph, team: str, scope: str, key: str, audience: Audience) -> Standing:
    """Read the entry of a key, and how much room there is."""
    row = await graph.read_one("board/get", team=team, scope=scope, key=key, audience=audience.key)
    assert row is not None
    return Standing(
        entry=to_entry(row["entry"]) if row["entry"] else None,
        entries=row["entries"],
        removed=row["removed"],
        scopes=row["scopes"],
    )


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
    """Write an entry; the row of the step holds `entry`. Raises Stale when the entry has another
    version by now."""
    given = {"team": team, "scope": scope, "key": key, "value": json.dumps(value)}
    place = {
        "version": version,
        "removed": removed,
        "audience": audience_map(audience),
        "most": MAX_ENTRIES,
        "mostEmpty": MAX_EMPTY,
    }
    return Step("board/put", {**given, **place, "actor": actor, "now": now}, required=True)


def remove_step(team: str, scope: str, key: str, *, version: int, now: datetime) -> Step:
    """Remove an entry. Raises Stale when it has another version by now."""
    given = {"team": team, "scope": scope, "key": key, "version": version, "now": now}
    return Step("board/remove", given, required=True)


def to_entry(row: Row) -> BoardEntry:
    """Build an entry from its properties."""
    return BoardEntry(
        team=row["team"],
        scope=row["scope"],
        key=row["key"],
        value=json.loads(row["value"]),
        version=row["version"],
        actor=row["actor"],
        updated_at=EPOCH + timedelta(milliseconds=row["updatedAt"]),
    )
