"""Entities, mentions, relations and episodes in the graph."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.domain.entities import Entity, Path, PathNode, Relation
from graphmem.domain.identity import AliasEvidence, Groups, TieKind
from graphmem.domain.ids import digest, name_key
from graphmem.domain.notes import Status
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import owner_token
from graphmem.language.naming import loose_key, one_by_form
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.times import instant

MAX_ALIASES = 50
TEXTS_A_NAME = 200  # notes of an audience that are searched for a new name
AUDIENCES_AT_ONCE = 100
MAX_STEPS = 12  # of ties from one name to another
MAX_TIES = 5_000
MAX_STATEMENTS = 1_000  # notes whose relations of an entity are read
MAX_RELATION_NOTES = 100


@dataclass(frozen=True, slots=True)
class EntityName:
    """The id of the entity with a name; `cased` is true if everyone who gave the name capitalized
    it."""

    id: str
    cased: bool


@dataclass(frozen=True, slots=True)
class SearchPhrase:
    """A name to search for: its key, its words in Lucene's syntax, and whether it was
    capitalized."""

    key: str
    lucene: str
    cased: bool


@dataclass(frozen=True, slots=True)
class OlderText:
    """A note whose text contains the phrase of a name key, and the keys of the names that it
    mentions."""

    key: str
    note: str
    title: str | None
    content: str
    mentioned: Sequence[str]


async def find_names(graph: Graph, user: str, keys: Sequence[str]) -> dict[str, EntityName]:
    """Return the user's entities by those of the name keys that they have."""
    rows = await graph.read_list("entities/names", user=user, keys=list(keys)) if keys else []
    return {row["key"]: EntityName(row["id"], bool(row["cased"])) for row in rows}


async def texts_with(graph: Graph, user: str, phrases: Sequence[SearchPhrase]) -> list[OlderText]:
    """Return the user's notes whose text contains a phrase, at most 200 of each audience: a common
    limit would let notes that some reader can't see displace those that the reader can see. Names
    that the user's notes already have are skipped, unless they were only known with capitals."""
    found = await _find_texts(graph, user, _query_rows(phrases, [owner_token(Owner.named(user))]))
    counts = Counter(each.key for each in found)
    many = [phrase for phrase in phrases if counts[phrase.key] >= TEXTS_A_NAME]
    if many:
        rows = await graph.read("entities/audiences", user=user)
        tokens = [row["token"] for row in rows]
        for start in range(0, len(tokens), AUDIENCES_AT_ONCE):
            part = tokens[start : start + AUDIENCES_AT_ONCE]
            found += await _find_texts(graph, user, _query_rows(many, part))
    return list({(each.key, each.note): each for each in found}.values())


def _query_rows(phrases: Sequence[SearchPhrase], tokens: Sequence[str]) -> list[Row]:
    return [
        {
            "key": phrase.key,
            "cased": phrase.cased,
            "lucene": f"+audienceToken:{token}^0 +({phrase.lucene})",
        }
        for phrase in phrases
        for token in tokens
    ]


async def _find_texts(graph: Graph, user: str, rows: Sequence[Row]) -> list[OlderText]:
    if not rows:
        return []
    found = await graph.read("entities/texts_with", rows=rows, user=user, limit=TEXTS_A_NAME)
    return [
        OlderText(row["key"], row["id"], row["title"], row["content"], row["mentioned"])
        for row in found
    ]


def forget_mentions_step(note: str) -> Step:
    """Delete the mentions that were found in a note's old text and that the note did not
    introduce."""
    return Step("entities/forget_mentions", {"id": note})


def mark_step(note_id: str, title_key: str | None) -> Step:
    """Mark the statements of a note's old text, and the entity of its old title if the title
    changed."""
    return Step("entities/mark", {"id": note_id, "titleKey": title_key})


def sweep_step(note_id: str) -> Step:
    """Delete the marked statements that the new text does not repeat."""
    return Step("entities/sweep", {"id": note_id})


def _statuses(*, past: bool) -> list[str]:
    return [*LIVE_STATUSES, *([Status.SUPERSEDED] if past else [])]


async def ties_of(
    graph: Graph,
    user: str,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    *,
    past: bool = False,
) -> list[AliasEvidence]:
    """Return the ties between the entities with these ids and others, and in turn between those and
    more, as far as readable notes support them; with `past`, superseded notes count too. At most
    5,000 for each step."""
    found: dict[tuple[str, str], AliasEvidence] = {}
    seen: set[str] = set()
    ahead = list(dict.fromkeys(ids))
    for _ in range(MAX_STEPS):
        if not ahead:
            break
        rows = await graph.read_list(
            "entities/ties",
            user=user,
            ids=ahead,
            audiences=list(audiences),
            now=now,
            statuses=_statuses(past=past),
            limit=MAX_TIES,
        )
        seen.update(ahead)
        ties = [_to_tie(row) for row in _drop_other_forms(rows)]
        found |= {(tie.kind, tie.id): tie for tie in ties}
        joining = [tie for tie in ties if tie.kind is not TieKind.PARTED]
        ahead = sorted({end for tie in joining for end in (tie.whole, tie.part)} - seen)
    return list(found.values())


def _drop_other_forms(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without those for names that only share a lookup key."""
    alike: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["kind"] == TieKind.FORMED:
            called = alike.setdefault(row["loose"], {})
            called |= {row["whole"]: row["names"], row["part"]: row["others"]}
    one = {pair for things in alike.values() for pair in one_by_form(things)}
    return [
        row
        for row in rows
        if row["kind"] != TieKind.FORMED or frozenset((row["whole"], row["part"])) in one
    ]


async def ids_of_form(
    graph: Graph, user: str, name: str, audiences: Sequence[str], now: datetime, *, past: bool
) -> list[str]:
    """Return the ids of names that readable notes introduce and that share a form with a name."""
    rows = await graph.read_list(
        "entities/of_form",
        user=user,
        loose=loose_key(name_key(name)),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=past),
    )
    things = {row["id"]: row["names"] for row in rows}
    found = one_by_form({**things, "": [(name, "")]})
    return sorted(i for i in things if frozenset((i, "")) in found)


def _to_tie(row: Row) -> AliasEvidence:
    return AliasEvidence(
        kind=TieKind(row["kind"]),
        id=row["id"],
        whole=row["whole"],
        part=row["part"],
        at=row["at"],
        note=row["note"] or "",
        agent=row["author"],
        introduced=row["own"],
        actor=row["by"],
        score=row["score"],
        everywhere=row.get("everywhere", False),
    )


def group_rows(groups: Groups, ids: Iterable[str]) -> list[Row]:
    """Return the groups of the entities as rows for a query, each once."""
    stands = dict.fromkeys(groups.stands_for(each) for each in ids)
    return [{"id": each, "members": list(groups.names_of(each))} for each in stands]


async def get_entities(
    graph: Graph,
    user: str,
    groups: Sequence[Row],
    audiences: Sequence[str],
    now: datetime,
    *,
    past: bool = False,
) -> dict[str, Entity]:
    """Return the entities of groups as far as readable notes support them, by the id of each of
    their names that such a note introduces; with `past`, superseded notes count too."""
    if not groups:
        return {}
    rows = await graph.read(
        "entities/get",
        user=user,
        groups=list(groups),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=past),
    )
    return {member: _to_entity(row) for row in rows for member in row["introduced"]}


def _to_entity(row: Row) -> Entity:
    others = sorted({name for name in row["names"] if name != row["name"]})
    return Entity(
        id=row["id"],
        name=row["name"],
        type=row["type"],
        aliases=tuple(others[:MAX_ALIASES]),
        note_count=row["noteCount"],
    )


async def list_names(
    graph: Graph,
    user: str,
    audiences: Sequence[str],
    now: datetime,
    *,
    search: str | None,
    after: str,
    limit: int,
) -> list[tuple[str, str]]:
    """Return ids and keys of the names that readable notes introduce, by key, after a key."""
    rows = await graph.read(
        "entities/list",
        user=user,
        search=search,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        after=after,
        limit=limit,
    )
    return [(row["id"], row["key"]) for row in rows]


async def entities_of_notes(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime, limit: int = 50
) -> list[tuple[str, str, bool]]:
    """Return the entities that readable notes mention, most often mentioned first, as (note id,
    entity id, whether the entity may have other names)."""
    rows = await graph.read(
        "entities/of_notes",
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=True),
        limit=limit,
    )
    return [(row["note"], row["entity"], row["tied"]) for row in rows]


async def notes_of_entities(
    graph: Graph,
    user: str,
    groups: Sequence[Row],
    audiences: Sequence[str],
    now: datetime,
    limit: int,
    at: datetime | None = None,
) -> dict[str, list[str]]:
    """Return the ids of readable notes of each group, newest first."""
    rows = await graph.read(
        "entities/notes_of",
        user=user,
        groups=list(groups),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=at is not None),
        at=at,
        limit=limit,
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["entity"], []).append(row["note"])
    return found


async def relations_of(
    graph: Graph,
    user: str,
    groups: Sequence[Row],
    audiences: Sequence[str],
    now: datetime,
    at: datetime | None = None,
) -> list[Row]:
    """Return the statements of readable notes about each group, oldest note first: a row for each
    note."""
    return await graph.read(
        "entities/relations_of",
        user=user,
        groups=list(groups),
        audiences=list(audiences),
        now=now,
        statuses=_statuses(past=at is not None),
        at=at,
        limit=MAX_STATEMENTS,
    )


def to_relation(said: tuple[str, str, str], rows: Sequence[Row]) -> Relation:
    """Build the relation of a subject, predicate and object that these notes state."""
    subject, predicate, target = said
    accessed = [instant(row["lastAccessedAt"]) for row in rows]
    started = [at for row in rows if (at := instant(row["validFrom"])) is not None]
    ended = [at for row in rows if (at := instant(row["validTo"])) is not None]
    return Relation(
        id=digest(f"{subject}|{predicate}|{target}"),
        subject=subject,
        predicate=predicate,
        object=target,
        confidence=max(row["confidence"] for row in rows),
        valid_from=min(started, default=None),
        valid_to=max(ended, default=None),
        first_seen_at=min(row["firstSeenAt"].to_native() for row in rows),
        last_accessed_at=max((at for at in accessed if at is not None), default=None),
        notes=tuple(dict.fromkeys(row["note"] for row in rows))[:MAX_RELATION_NOTES],
    )


async def find_paths(
    graph: Graph,
    user: str,
    ends: tuple[Sequence[str], Sequence[str]],
    audiences: Sequence[str],
    now: datetime,
    *,
    max_hops: int,
    first: int,
    at: datetime | None = None,
) -> list[tuple[list[Any], list[str]]]:
    """Return the shortest paths between two entities, each entity given by the ids of its names:
    nodes as [id, kind, label or None], and the relationships between them. With an instant, the
    paths go over what was known and true at that time."""
    rows: list[Row] = []
    for lengths in range(1, max_hops + 1):  # long paths are many: only wanted without short ones
        rows = await graph.read(
            "entities/paths",
            user=user,
            **{"from": list(ends[0]), "to": list(ends[1])},
            audiences=list(audiences),
            now=now,
            statuses=_statuses(past=at is not None),
            at=at,
            maxHops=max_hops,
            lengths=lengths,
            first=first,
        )
        if len(rows) >= first:
            break
    return [(row["nodes"], row["relationships"]) for row in rows]


def to_path(nodes: Sequence[Any], relationships: Sequence[str], names: dict[str, str]) -> Path:
    """Build a path whose entities have the names that the viewer may know."""
    return Path(
        nodes=tuple(
            PathNode(id=i, kind=kind, label=names.get(i, "") if label is None else label)
            for i, kind, label in nodes
        ),
        relationships=tuple(relationships),
    )
