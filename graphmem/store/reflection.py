"""Reflections in the graph: what they go through, what they propose, and what came of it."""

import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.domain.notes import NEVER, Kind
from graphmem.domain.reflection import Item, ItemKind, Reflection, ReflectionStatus
from graphmem.language.reflection_findings import NoteSummary
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.times import EPOCH, moment

IN_PERSON = "~"  # the maker of what the user reflects upon in person
_MADE = {ItemKind.FACT: Kind.SEMANTIC, ItemKind.PROCEDURE: Kind.PROCEDURAL}


async def survey(
    graph: Graph, audiences: Sequence[str], now: datetime, *, page: int, most: int
) -> AsyncIterator[list[NoteSummary]]:
    """The newest `most` live readable notes in pages, without their texts."""
    before, before_id, seen = NEVER, "", 0
    while seen < most:
        limit = min(page, most - seen)
        rows: list[Any] = await graph.read_list(
            "reflection/survey",
            audiences=list(audiences),
            statuses=list(LIVE_STATUSES),
            now=now,
            before=before,
            beforeId=before_id,
            limit=limit,
        )
        if rows:
            notes = [_to_seen(row) for row in rows]
            yield notes
            seen += len(notes)
            before, before_id = notes[-1].created_at.astimezone(UTC), notes[-1].id
        if len(rows) < limit:
            return


def _to_seen(row: Sequence[Any]) -> NoteSummary:
    note, version, audience, kind, source, tags, things, domain, *rest = row
    created, happened, used, accesses, importance, pinned, load_bearing, episode, *core = rest
    return NoteSummary(
        id=note,
        version=version,
        audience=audience,
        kind=Kind(kind),
        source=source,
        tags=frozenset(tags),
        things=frozenset(things),
        domain=domain,
        created_at=_at(created),
        happened_at=_at(happened),
        last_used_at=_at(created if used is None else used),
        access_count=accesses,
        importance=importance,
        pinned=pinned,
        load_bearing=load_bearing,
        episode=episode,
        core_block=core[0],
        is_core=core[1],
    )


def _at(milliseconds: int) -> datetime:
    return EPOCH + timedelta(milliseconds=milliseconds)


async def linked_pairs(graph: Graph, pairs: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of the pairs of notes that are linked in any way."""
    rows = await graph.read("reflection/linked", pairs=[list(pair) for pair in pairs])
    return {(row["one"], row["other"]) for row in rows}


async def newest_of(graph: Graph, user: str, maker: str | None) -> tuple[int, datetime | None]:
    """How many reflections a maker has made, and when the last one."""
    row = await graph.read_one("reflection/newest", user=user, maker=maker or IN_PERSON)
    if row is None or row["number"] is None:
        return 0, None
    return row["number"], row["at"].to_native()


async def made_since(graph: Graph, user: str, maker: str | None, since: datetime) -> int:
    """How many reflections a maker has made since a time."""
    row = await graph.read_one(
        "reflection/recent", user=user, maker=maker or IN_PERSON, since=since
    )
    return row["made"] if row else 0


def create_step(found: Reflection, user: str) -> Step:
    """Keeps a new reflection. Its number is its maker's next one: the graph refuses a second."""
    items = [
        {
            "place": place,
            "properties": {
                "id": item.id,
                "kind": item.kind,
                "audience": item.audience,
                "numbers": json.dumps(dict(item.numbers)),
                "accepted": item.accepted,
            },
            "notes": [
                {"id": note, "version": version, "place": i}
                for i, (note, version) in enumerate(item.notes)
            ],
        }
        for place, item in enumerate(found.items)
    ]
    properties = {
        "id": found.id,
        "user": user,
        "maker": found.maker or IN_PERSON,
        "number": found.number,
        "status": found.status,
        "at": found.at,
        "numbers": json.dumps(dict(found.numbers)),
        "tokensUsed": found.tokens_used,
        "tokenBudget": found.token_budget,
    }
    return Step("reflection/create", {"properties": properties, "items": items})


async def list_reflections(
    graph: Graph,
    user: str,
    *,
    maker: str | None,
    statuses: Sequence[ReflectionStatus] = tuple(ReflectionStatus),
    reflection_id: str | None = None,
    limit: int,
) -> list[Reflection]:
    """A user's reflections, newest first; `maker`: those of one agent or IN_PERSON only, None: of
    all."""
    rows = await graph.read(
        "reflection/list",
        user=user,
        maker=maker,
        statuses=list(statuses),
        id=reflection_id,
        limit=limit,
    )
    return [_to_reflection(row) for row in rows]


def _to_reflection(row: Row) -> Reflection:
    at = moment(row["at"])
    assert at is not None
    return Reflection(
        id=row["id"],
        number=row["number"],
        maker=None if row["maker"] == IN_PERSON else row["maker"],
        status=ReflectionStatus(row["status"]),
        at=at,
        items=tuple(_to_item(item) for item in row["items"]),
        numbers=json.loads(row["numbers"]),
        tokens_used=row["tokensUsed"],
        token_budget=row["tokenBudget"],
    )


def _to_item(row: Row) -> Item:
    return Item(
        id=row["id"],
        kind=ItemKind(row["kind"]),
        audience=row["audience"],
        notes=tuple((note, version) for note, version in row["notes"]),
        numbers=json.loads(row["numbers"]),
        accepted=row["accepted"],
    )


def held_rows(items: Sequence[Item]) -> list[Row]:
    """The notes that accepted items go by, as they must still be."""
    return [
        {
            "item": item.id,
            "id": note,
            "version": version,
            "audience": item.audience,
            "goes": note == item.put_away,
            "promotes": item.promotes,
            "makes": _MADE.get(item.kind),
        }
        for item in items
        for note, version in item.notes
    ]


async def changed_items(graph: Graph, rows: Sequence[Row], now: datetime) -> set[str]:
    """The items of `held_rows` whose notes are not any more as they were seen."""
    found = await graph.read(
        "reflection/changed", rows=list(rows), statuses=list(LIVE_STATUSES), now=now
    )
    return {row["item"] for row in found}


def decide_step(
    reflection_id: str,
    user: str,
    items: Sequence[Row],
    status: ReflectionStatus,
    *,
    actor: str,
    now: datetime,
) -> Step:
    """Decides a reflection; a row of `items` holds id, accepted and the id of the link that it
    makes, or None. Nothing is done when it was decided before."""
    parameters = {"id": reflection_id, "user": user, "items": list(items), "status": status}
    return Step("reflection/decide", {**parameters, "actor": actor, "now": now}, required=True)


def hold_step(rows: Sequence[Row], now: datetime) -> Step:
    """Locks the notes of accepted items; nothing is done when one has changed."""
    parameters = {"rows": list(rows), "statuses": list(LIVE_STATUSES), "now": now}
    return Step("reflection/hold", parameters, required=True)


def make_step(rows: Sequence[Row], now: datetime) -> Step:
    """Ties notes that items made to their sources; a row holds item, note, sources and those of
    them that tell it, tellers."""
    return Step("reflection/make", {"rows": list(rows), "now": now})


def archive_step(
    rows: Sequence[tuple[str, str, str]], *, actor: str, now: datetime, reason: str
) -> Step:
    """Archives notes for (item, note, status of the note before)."""
    given = [
        {
            "item": item,
            "note": note,
            "changes": json.dumps({"status": [status, "ARCHIVED"], "reason": reason}),
        }
        for item, note, status in rows
    ]
    return Step("reflection/archive", {"rows": given, "actor": actor, "now": now})


def promote_step(rows: Sequence[tuple[str, str, str]], *, actor: str, now: datetime) -> Step:
    """Puts notes into core memory for (item, note, block)."""
    given = [
        {
            "item": item,
            "note": note,
            "block": block,
            "changes": json.dumps({"coreBlock": [None, block]}),
        }
        for item, note, block in rows
    ]
    return Step("reflection/promote", {"rows": given, "actor": actor, "now": now})


def keep_step(reflection_id: str, notes: Sequence[str], now: datetime) -> Step:
    """Counts an access of what is kept."""
    return Step("reflection/keep", {"id": reflection_id, "notes": sorted(notes), "now": now})


def revert_steps(
    found: Reflection, user: str, conflicts: Sequence[str], *, actor: str, now: datetime
) -> list[Step]:
    """Takes back what an applied reflection changed; `actor` is who does."""
    changes = json.dumps({"status": ["ACTIVE", "ARCHIVED"], "reason": "reflection reverted"})
    back = json.dumps({"status": ["ARCHIVED", "ACTIVE"], "reason": "reflection reverted"})
    demoted = json.dumps({"coreBlock": ["critical", None]})
    given = {"id": found.id, "actor": actor, "now": now}
    return [
        Step("reflection/begin_revert", {**given, "user": user}, required=True),
        Step("reflection/unlink", {"id": found.id, "actor": found.actor}),
        Step("reflection/unkeep", {"id": found.id}),
        Step(
            "reflection/unmake",
            {**given, "statuses": list(LIVE_STATUSES), "changes": changes},
        ),
        Step("reflection/unarchive", {**given, "changes": back}),
        Step("reflection/demote", {**given, "changes": demoted}),
        Step("reflection/reopen", {"ids": list(conflicts), "actor": found.actor}),
    ]
