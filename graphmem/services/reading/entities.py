"""Entities, relations and paths, as far as readable notes back them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from graphmem.domain.drafts import check_instant, check_text
from graphmem.domain.entities import Entity, Path, Relation
from graphmem.domain.ids import entity_id as entity_id_of
from graphmem.domain.ids import name_key
from graphmem.domain.notes import MAX_NAME, Status
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, missing
from graphmem.services.reading.history import load_as_of
from graphmem.services.reading.identity import find_names_of_form, groups_for
from graphmem.services.reading.notes import load_many
from graphmem.store import entities as store
from graphmem.store.graph import Row

MAX_HOPS = 6
MAX_PATHS = 20
MAX_PAGE = 500
MAX_RELATIONS = 200
LABEL = 80  # letters of a note without a title

_Path = tuple[list[Any], list[str]]  # nodes and relationships of a path


async def get_entity(
    context: Context,
    access: Access,
    entity_id: str | None,
    name: str | None,
    *,
    past: bool = False,
) -> Entity:
    """Return one entity by id, or by a name or alias that a readable note uses.

    `past`: also one that only superseded notes name. Raises NotFound.
    """
    if (entity_id is None) == (name is None):
        raise Invalid("give id or name, one of the two")
    wanted = _id_of(access, name) if name is not None else entity_id or ""
    found = await load_entities(context, access, [wanted], past=past)
    if not found and name is not None:  # finds Mount Ida where notes only have Mt. Ida
        ids = await find_names_of_form(context, access, name, access.by_name, past=past)
        found = await load_entities(context, access, ids, past=past)
    if not found:
        raise missing("entity")
    return next(iter(found.values()))


def _id_of(access: Access, name: str) -> str:
    return entity_id_of(access.viewer.user, name_key(check_text(name, "name", MAX_NAME)))


async def load_entities(
    context: Context, access: Access, ids: Sequence[str], *, past: bool = False
) -> dict[str, Entity]:
    """Load the entities that have these ids, each of one name, as far as notes back them."""
    if not ids:
        return {}
    groups = await groups_for(context, access, ids, past=past)
    found = await store.get_entities(
        context.graph,
        access.viewer.user,
        store.group_rows(groups, ids),
        access.by_name,
        context.clock(),
        past=past,
    )
    return {each: found[each] for each in ids if each in found}


async def list_entities(
    context: Context, access: Access, search: str | None, first: int
) -> list[Entity]:
    """List entities by name; `search` is a part of a name or alias."""
    key = name_key(check_text(search, "search", MAX_NAME)) if search else None
    listed: dict[str, Entity] = {}
    after, more = "", True
    while more and len(listed) < first:
        names = await store.list_names(
            context.graph,
            access.viewer.user,
            access.by_name,
            context.clock(),
            search=key,
            after=after,
            limit=first,
        )
        loaded = await load_entities(context, access, [each for each, _ in names])
        for entity in loaded.values():
            listed.setdefault(entity.id, entity)
        more = len(names) == first
        after = names[-1][1] if names else ""
    return list(listed.values())[:first]


async def entities_of(
    context: Context, access: Access, notes: Sequence[str]
) -> dict[str, list[str]]:
    """Return the ids of the entities of readable notes."""
    rows = await store.entities_of_notes(context.graph, notes, access.by_name, context.clock())
    tied = sorted({entity for _, entity, tied in rows if tied})
    groups = await groups_for(context, access, tied, past=True)
    found: dict[str, dict[str, None]] = {}
    for note, entity, _ in rows:
        found.setdefault(note, {})[groups.stands_for(entity)] = None
    return {note: list(each) for note, each in found.items()}


async def notes_of(
    context: Context,
    access: Access,
    ids: Sequence[str],
    limit: int,
    as_of: datetime | None = None,
) -> dict[str, list[str]]:
    """Return readable note ids of entities, newest first.

    As of an instant those known and true then.
    """
    at = check_instant(as_of, "asOf")
    groups = await groups_for(context, access, ids, past=at is not None)
    found = await store.notes_of_entities(
        context.graph,
        access.viewer.user,
        store.group_rows(groups, ids),
        access.by_name,
        context.clock(),
        limit,
        at,
    )
    return {each: found.get(groups.stands_for(each), []) for each in ids}


async def relations_of(
    context: Context,
    access: Access,
    ids: Sequence[str],
    limit: int,
    as_of: datetime | None = None,
) -> dict[str, list[Relation]]:
    """Return what readable notes say of entities, what most notes say first.

    As of an instant, what was known and true then.
    """
    at = check_instant(as_of, "asOf")
    groups = await groups_for(context, access, ids, past=at is not None)
    rows = await store.relations_of(
        context.graph,
        access.viewer.user,
        store.group_rows(groups, ids),
        access.by_name,
        context.clock(),
        at,
    )
    ends = {end for row in rows if row["tied"] for end in (row["subject"], row["object"])}
    every = await groups_for(context, access, sorted(ends), past=at is not None)
    said: dict[str, dict[tuple[str, str, str], list[Row]]] = {}
    for row in rows:
        subject, target = every.stands_for(row["subject"]), every.stands_for(row["object"])
        statement = (subject, row["predicate"], target)
        said.setdefault(row["entity"], {}).setdefault(statement, []).append(row)
    found = {
        entity: sorted(
            (store.to_relation(statement, backing) for statement, backing in statements.items()),
            key=lambda each: (-len(each.notes), each.predicate, each.subject, each.object),
        )
        for entity, statements in said.items()
    }
    most = min(limit, MAX_RELATIONS)
    return {each: found.get(groups.stands_for(each), [])[:most] for each in ids}


async def paths(
    context: Context,
    access: Access,
    start: str,
    end: str,
    max_hops: int,
    first: int,
    as_of: datetime | None = None,
) -> list[Path]:
    """Return the shortest paths between two entities (names or ids) over readable notes.

    The paths also lead over readable relations. As of an instant, they lead over those known and
    true then, with the titles that notes had then.
    """
    at = check_instant(as_of, "asOf")
    past = at is not None
    one, other = [
        await get_by_name_or_id(context, access, text, past=past) for text in (start, end)
    ]
    if one.id == other.id:
        raise Invalid("from and to are the same entity")
    groups = await groups_for(context, access, [one.id, other.id], past=past)
    found = await store.find_paths(
        context.graph,
        access.viewer.user,
        (groups.names_of(one.id), groups.names_of(other.id)),
        access.by_name,
        context.clock(),
        max_hops=max_hops,
        first=first,
        at=at,
    )
    if at is not None:
        found = await _paths_as_of(context, access, found, at)
    ids = {node[0] for nodes, _ in found for node in nodes if node[1] == "entity"}
    loaded = await load_entities(context, access, sorted(ids), past=past)
    names = {i: entity.name for i, entity in loaded.items()}
    return [store.to_path(nodes, steps, names) for nodes, steps in found]


async def _paths_as_of(
    context: Context, access: Access, found: Sequence[_Path], at: datetime
) -> list[_Path]:
    """Give paths the labels that their notes had at an instant.

    Paths over a note that was archived then, or that the viewer could not read then, are left out.
    """
    ids = sorted({node[0] for nodes, _ in found for node in nodes if node[1] == "note"})
    notes = await load_many(context, access, ids)
    then = await load_as_of(context, access.of_events, notes.values(), at)
    labels = {
        i: note.title or note.content[:LABEL]
        for i, note in then.items()
        if note.status is not Status.ARCHIVED
    }
    return [
        ([[i, kind, labels.get(i, label)] for i, kind, label in nodes], steps)
        for nodes, steps in found
        if all(kind == "entity" or i in labels for i, kind, _ in nodes)
    ]


async def get_by_name_or_id(
    context: Context, access: Access, text: str, *, past: bool = False
) -> Entity:
    """Return one entity by its id, or by a name or alias that a readable note uses.

    Raises NotFound.
    """
    wanted = [text, _id_of(access, text)]
    found = await load_entities(context, access, wanted, past=past)
    if not found:
        return await get_entity(context, access, None, text, past=past)
    return next(iter(found.values()))
