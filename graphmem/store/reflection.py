"""Reflections in the graph: the notes that they consider, their proposals and the outcome."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.domain.notes import NEVER, Kind, Status
from graphmem.domain.reflection import Item, ItemKind, Reflection, ReflectionStatus
from graphmem.language.reflection_findings import NoteSummary
from graphmem.store.changes import change_step
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import ChangeRow, RevisionRow, complete_rows, to_query_rows
from graphmem.store.times import EPOCH, instant_from_milliseconds

IN_PERSON = "~"  # the maker of reflections by the user in person
# Places in a row: id, version, audience, kind, source, tags, domain, both times, accesses,
# importance, and whether it is pinned or bears load.
_NEVER_NULL = (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14)
_MADE = {ItemKind.FACT: Kind.SEMANTIC, ItemKind.PROCEDURE: Kind.PROCEDURAL}


async def list_summaries(
    graph: Graph, audiences: Sequence[str], now: datetime, *, page: int, most: int
) -> AsyncIterator[list[NoteSummary]]:
    """Yield the newest `most` live readable notes in pages, without their texts."""
    before, before_id, seen = NEVER, "", 0
    while seen < most:
        limit = min(page, most - seen)
        rows: list[Any] = await graph.read_list(
            "reflection/list_summaries",
            audiences=list(audiences),
            statuses=list(LIVE_STATUSES),
            now=now,
            before=before,
            beforeId=before_id,
            limit=limit,
        )
        notes = [_to_seen(row) for row in complete_rows(rows, *_NEVER_NULL)]
        if notes:
            yield notes
            seen += len(notes)
            before, before_id = notes[-1].created_at.astimezone(UTC), notes[-1].id
        if not notes or len(rows) < limit:
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
        created_at=_to_time(created),
        happened_at=_to_time(happened),
        last_used_at=_to_time(created if used is None else used),
        access_count=accesses,
        importance=importance,
        pinned=pinned,
        load_bearing=load_bearing,
        episode=episode,
        core_block=core[0],
        is_core=core[1],
        is_proven=core[2],
        is_foundational=core[3],
    )


def _to_time(milliseconds: int) -> datetime:
    return EPOCH + timedelta(milliseconds=milliseconds)


async def linked_pairs(graph: Graph, pairs: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of the pairs of notes that have a link of any kind."""
    rows = await graph.read("reflection/linked", pairs=[list(pair) for pair in pairs])
    return {(row["one"], row["other"]) for row in rows}


async def newest_of(graph: Graph, user: str, maker: str | None) -> tuple[int, datetime | None]:
    """Return the number of reflections that a maker has made, and the time of the last one."""
    row = await graph.read_one("reflection/newest", user=user, maker=maker or IN_PERSON)
    if row is None or row["number"] is None:
        return 0, None
    return row["number"], row["at"].to_native()


async def made_since(graph: Graph, user: str, maker: str | None, since: datetime) -> int:
    """Count the reflections that a maker has made since a time."""
    row = await graph.read_one(
        "reflection/recent", user=user, maker=maker or IN_PERSON, since=since
    )
    return row["made"] if row else 0


def create_step(found: Reflection, user: str) -> Step:
    """Store a new reflection. Its number is the next one of its maker: the graph refuses a
    second."""
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
    """Return a user's reflections, newest first; with `maker`, those of one agent or IN_PERSON
    only, None for all."""
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
    at = instant_from_milliseconds(row["at"])
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


@dataclass(frozen=True, kw_only=True)
class LockedRow:
    """A note that an accepted item is based on, in the state that it must still have: whether the
    item archives it or puts it into core memory, and the kind of the note that the item makes."""

    item: str
    id: str
    version: int
    audience: str | None
    goes: bool
    promotes: bool
    makes: Kind | None


@dataclass(frozen=True, kw_only=True)
class DecidedItem:
    """The decision on an item, and the id of the link that it makes."""

    id: str
    accepted: bool
    link: str | None


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The sources of a note that an item made, and those of these notes that say the same."""

    item: str
    note: str
    sources: Sequence[str]
    tellers: Sequence[str]


def locked_rows(items: Sequence[Item]) -> list[LockedRow]:
    """Return the notes that accepted items are based on."""
    return [
        LockedRow(
            item=item.id,
            id=note,
            version=version,
            audience=item.audience,
            goes=note == item.archives,
            promotes=item.promotes,
            makes=_MADE.get(item.kind),
        )
        for item in items
        for note, version in item.notes
    ]


def _merge_rows(rows: Sequence[LockedRow]) -> list[LockedRow]:
    """Return each note once, with everything that is required of it."""
    found: dict[tuple[str, int], LockedRow] = {}
    for row in rows:
        before = found.get((row.id, row.version), row)
        found[row.id, row.version] = replace(
            row,
            goes=row.goes or before.goes,
            promotes=row.promotes or before.promotes,
            makes=row.makes or before.makes,
        )
    return sorted(found.values(), key=lambda row: (row.id, row.version))


async def changed_items(graph: Graph, rows: Sequence[LockedRow], now: datetime) -> set[str]:
    """Return the items of `locked_rows` whose notes have changed since they were read."""
    found = await graph.read(
        "reflection/changed", rows=to_query_rows(rows), statuses=list(LIVE_STATUSES), now=now
    )
    return {row["item"] for row in found}


def decide_step(
    reflection_id: str,
    user: str,
    items: Sequence[DecidedItem],
    status: ReflectionStatus,
    *,
    actor: str,
    now: datetime,
) -> Step:
    """Decide a reflection. Raises Stale, doing nothing, when it was decided before."""
    given = {"id": reflection_id, "user": user, "status": status, "actor": actor, "now": now}
    return Step("reflection/decide", {**given, "items": to_query_rows(items)}, required=True)


def lock_step(rows: Sequence[LockedRow], now: datetime) -> Step:
    """Lock the notes of accepted items. Raises Stale, doing nothing, when one has changed."""
    merged = to_query_rows(_merge_rows(rows))
    given = [{k: v for k, v in row.items() if k != "item"} for row in merged]
    parameters = {"rows": given, "statuses": list(LIVE_STATUSES), "now": now}
    return Step("reflection/lock", parameters, required=True)


def make_step(rows: Sequence[Origin], now: datetime) -> Step:
    """Connect notes that items made with their sources."""
    return Step("reflection/make", {"rows": to_query_rows(rows), "now": now})


def archive_step(rows: Sequence[tuple[str, str]]) -> Step:
    """Record, before the change, the state of notes that items archive, as (item, note)."""
    given = [{"item": item, "note": note} for item, note in rows]
    return Step("reflection/archive", {"rows": given})


def promote_step(rows: Sequence[tuple[str, str, str]]) -> Step:
    """Record which notes items put into core memory, as (item, note, block)."""
    given = [{"item": item, "note": note, "block": block} for item, note, block in rows]
    return Step("reflection/promote", {"rows": given})


def keep_step(reflection_id: str, notes: Sequence[str], now: datetime) -> Step:
    """Count an access of the notes that are kept."""
    return Step("reflection/keep", {"id": reflection_id, "notes": sorted(notes), "now": now})


@dataclass(frozen=True, kw_only=True)
class AppliedNote:
    """A note that an applied reflection has archived ("CHANGED"), put into core memory ("PROMOTED")
    or made ("MADE"), and whether it is unchanged since."""

    id: str
    version: int
    audience: str
    kind: str
    as_left: bool
    status: Status
    status_before: Status | None
    curated_key: str | None  # the key that reverting restores


async def read_done(graph: Graph, reflection_id: str) -> list[AppliedNote]:
    """Return the notes that an applied reflection has changed or made."""
    rows = await graph.read("reflection/done", id=reflection_id)
    return [
        AppliedNote(
            id=row["id"],
            version=row["version"],
            audience=row["audience"],
            kind=row["kind"],
            as_left=bool(row["asLeft"]),
            status=Status(row["status"]),
            status_before=None if row["before"] is None else Status(row["before"]),
            curated_key=row["curatedKey"],
        )
        for row in rows
    ]


def revert_steps(
    found: Reflection,
    user: str,
    done: Sequence[AppliedNote],
    conflicts: Sequence[str],
    *,
    actor: str,
    now: datetime,
) -> list[Step]:
    """Revert what an applied reflection changed; `actor` is who reverts it. A note that the
    reflection made is deleted if it is unchanged, and archived otherwise."""
    gone = [each.id for each in done if each.kind == "MADE" and each.as_left]
    back = _undo_changes(done)
    changed = [change_step(back, user=user, agent=None, actor=actor, now=now)] if back else []
    given = {"id": found.id, "now": now}
    return [
        Step("reflection/begin_revert", {**given, "actor": actor, "user": user}, required=True),
        Step("reflection/unlink", {"id": found.id, "actor": found.actor}),
        Step("reflection/unkeep", {"id": found.id}),
        *changed,
        Step("reflection/unmake", {**given, "ids": gone}, required=True),
        Step("reflection/reopen", {"ids": list(conflicts), "actor": found.actor}),
    ]


def _undo_changes(done: Sequence[AppliedNote]) -> list[ChangeRow]:
    """Return the changes that revert others, one for each note."""
    rows: dict[str, ChangeRow] = {}
    for each in done:
        change = _undo_one(each)
        if change is None:
            continue
        given, recorded = change
        row = rows.get(each.id) or ChangeRow(
            id=each.id,
            version=each.version,
            audience=each.audience,
            given={},
            revisions=(),
        )
        version = each.version + len(row.revisions) + 1
        revision = RevisionRow(version=version, changes=recorded)
        rows[each.id] = replace(
            row, given={**row.given, **given}, revisions=(*row.revisions, revision)
        )
    return list(rows.values())


def _undo_one(done: AppliedNote) -> tuple[dict[str, object], dict[str, object]] | None:
    """Return the properties that revert a change, and the changes for the revision; None if it
    stays."""
    reason = "reflection reverted"
    match done.kind:
        case "CHANGED" if done.as_left:
            given = {
                "status": done.status_before,
                "curatedKey": done.curated_key,
                "archivedBy": None,
            }
            return given, {"status": [done.status, done.status_before], "reason": reason}
        case "PROMOTED" if done.as_left:
            return {"coreBlock": None}, {"coreBlock": ["critical", None]}
        case "MADE" if not done.as_left and done.status in LIVE_STATUSES:
            given = {"status": Status.ARCHIVED, "curatedKey": None}
            return given, {"status": [done.status, Status.ARCHIVED], "reason": reason}
    return None
