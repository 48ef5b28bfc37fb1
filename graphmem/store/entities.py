"""Entities, mentions, relations and episodes in the graph."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from graphmem.domain.entities import Entity, Path, PathNode, Relation
from graphmem.domain.ids import digest
from graphmem.domain.notes import Status
from graphmem.domain.spelling import likeness
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.times import instant

MAX_ALIASES = 50
TEXTS_A_NAME = 200  # notes that a new title is looked for in


async def find_names(graph: Graph, user: str, keys: Sequence[str]) -> dict[str, Row]:
    """The user's entities by those of the name keys that they have: id and cased."""
    rows = await graph.read_list("entities/names", user=user, keys=list(keys)) if keys else []
    return {row["key"]: row for row in rows}


async def texts_with(
    graph: Graph, user: str, phrases: Sequence[Row], except_ids: Sequence[str]
) -> list[Row]:
    """The user's notes whose text holds a phrase: key, id, title, content, mentioned."""
    if not phrases:
        return []
    return await graph.read(
        "entities/texts_with",
        rows=list(phrases),
        user=user,
        exceptIds=list(except_ids),
        limit=TEXTS_A_NAME,
    )


def mention_step(rows: Sequence[Row], *, user: str, now: datetime) -> Step:
    """Makes mentions, and the entities that are new in the order of the rows: what a row names, or
    gives as another name, is the same thing in the rows after it."""
    keys = {row["key"] for row in rows} | {alias["key"] for r in rows for alias in r["aliases"]}
    names = [{"key": key, "like": likeness(key)} for key in sorted(keys)]
    return Step("entities/mention", {"rows": list(rows), "names": names, "user": user, "now": now})


def relate_step(rows: Sequence[Row], *, user: str, now: datetime) -> Step:
    """Writes what notes say of two entities."""
    return Step("entities/relate", {"rows": list(rows), "user": user, "now": now})


def forget_mentions_step(note: str) -> Step:
    """Takes away what was found in a note's old text and the note did not introduce."""
    return Step("entities/forget_mentions", {"id": note})


def chain_step(rows: Sequence[Row], *, user: str, now: datetime) -> Step:
    """Puts notes into their episodes; a row holds id and episode."""
    return Step("episodes/chain", {"rows": list(rows), "user": user, "now": now})


def _statuses(*, past: bool) -> list[str]:
    return [*LIVE_STATUSES, *([Status.SUPERSEDED] if past else [])]


async def get_entities(
    graph: Graph,
    user: str,
    audiences: Sequence[str],
    now: datetime,
    *,
    ids: Sequence[str] = (),
    keys: Sequence[str] = (),
    past: bool = False,
) -> list[tuple[Entity, str | None]]:
    """Entities by id or name key as far as readable notes back them, with the key that found it;
    `past`: notes that were superseded count, too."""
    rows = await graph.read(
        "entities/get",
        user=user,
        ids=list(ids),
        keys=list(keys),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=past),
    )
    return [(_to_entity(row), row["byKey"]) for row in rows]


def _to_entity(row: Row) -> Entity:
    others = sorted({name for name in row["names"] if name != row["name"]})
    return Entity(
        id=row["id"],
        name=row["name"],
        type=row["type"],
        aliases=tuple(others[:MAX_ALIASES]),
        note_count=row["noteCount"],
    )


async def list_entities(
    graph: Graph,
    user: str,
    audiences: Sequence[str],
    now: datetime,
    *,
    search: str | None,
    limit: int,
) -> list[str]:
    """Ids of the entities that readable notes mention, by name."""
    rows = await graph.read(
        "entities/list",
        user=user,
        search=search,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        limit=limit,
    )
    return [row["id"] for row in rows]


async def entities_of_notes(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime, limit: int = 50
) -> dict[str, list[str]]:
    """Entity ids of each readable note, those named most first."""
    rows = await graph.read(
        "entities/of_notes", ids=list(ids), audiences=list(audiences), now=now, limit=limit
    )
    return _grouped(rows, "note", "entity")


async def notes_of_entities(
    graph: Graph,
    user: str,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    limit: int,
    at: datetime | None = None,
) -> dict[str, list[str]]:
    """Readable note ids of each entity, newest first."""
    rows = await graph.read(
        "entities/notes_of",
        user=user,
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=at is not None),
        at=at,
        limit=limit,
    )
    return _grouped(rows, "entity", "note")


async def relations_of(
    graph: Graph,
    user: str,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    limit: int,
    at: datetime | None = None,
) -> dict[str, list[Relation]]:
    """What readable notes say of each entity."""
    rows = await graph.read(
        "entities/relations_of",
        user=user,
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=at is not None),
        at=at,
        limit=limit,
    )
    found: dict[str, list[Relation]] = {}
    for row in rows:
        found.setdefault(row["entity"], []).append(_to_relation(row))
    return found


def _to_relation(row: Row) -> Relation:
    statement = f"{row['subject']}|{row['predicate']}|{row['object']}"
    return Relation(
        id=digest(statement),
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        confidence=row["confidence"],
        valid_from=instant(row["validFrom"]),
        valid_to=instant(row["validTo"]),
        first_seen_at=row["firstSeenAt"].to_native(),
        last_accessed_at=instant(row["lastAccessedAt"]),
        notes=tuple(row["notes"]),
    )


async def find_paths(
    graph: Graph,
    user: str,
    ends: tuple[str, str],
    audiences: Sequence[str],
    now: datetime,
    *,
    max_hops: int,
    first: int,
) -> list[tuple[list[Any], list[str]]]:
    """The shortest paths between two entities: nodes as [id, kind, label or None], and the
    relationships between them."""
    rows = await graph.read(
        "entities/paths",
        user=user,
        **{"from": ends[0], "to": ends[1]},
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        maxHops=max_hops,
        first=first,
    )
    return [(row["nodes"], row["relationships"]) for row in rows]


def to_path(nodes: Sequence[Any], relationships: Sequence[str], names: dict[str, str]) -> Path:
    """A path whose entities have the names that the viewer may know."""
    return Path(
        nodes=tuple(
            PathNode(id=i, kind=kind, label=names.get(i, "") if label is None else label)
            for i, kind, label in nodes
        ),
        relationships=tuple(relationships),
    )


def _grouped(rows: Sequence[Row], by: str, what: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row[by], []).append(row[what])
    return found
