"""Entities, relations and paths, as far as readable notes back them."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.drafts import check_instant, check_text
from graphmem.domain.entities import Entity, Path, Relation
from graphmem.domain.ids import name_key
from graphmem.domain.notes import MAX_NAME
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, missing
from graphmem.services.reading import check_first
from graphmem.store import entities as store

MAX_HOPS = 6
MAX_PATHS = 20
MAX_PAGE = 500
MAX_RELATIONS = 200


async def get_entity(
    context: Context,
    access: Access,
    entity_id: str | None,
    name: str | None,
    *,
    past: bool = False,
) -> Entity:
    """One entity by id, or by a name or alias that a readable note uses; `past`: also one that only
    superseded notes name. Raises NotFound."""
    if (entity_id is None) == (name is None):
        raise Invalid("give id or name, one of the two")
    by_id = entity_id is not None
    found = await _find(context, access, [entity_id or name or ""], by_id=by_id, past=past)
    if not found:
        raise missing("entity")
    return found[0]


async def _find(
    context: Context, access: Access, given: Sequence[str], *, by_id: bool, past: bool = False
) -> list[Entity]:
    keys = [] if by_id else [name_key(check_text(name, "name", MAX_NAME)) for name in given]
    rows = await store.get_entities(
        context.graph,
        access.viewer.user,
        access.by_name,
        context.clock(),
        ids=list(given) if by_id else (),
        keys=keys,
        past=past,
    )
    return [entity for entity, _ in rows]


async def load_entities(
    context: Context, access: Access, ids: Sequence[str], *, past: bool = False
) -> dict[str, Entity]:
    """The entities of the ids, as far as readable notes back them."""
    if not ids:
        return {}
    found = await _find(context, access, ids, by_id=True, past=past)
    return {entity.id: entity for entity in found}


async def list_entities(
    context: Context, access: Access, search: str | None, first: int
) -> list[Entity]:
    """Entities by name; `search` is a part of a name or alias."""
    first = check_first(first, MAX_PAGE)
    key = name_key(check_text(search, "search", MAX_NAME)) if search else None
    ids = await store.list_entities(
        context.graph,
        access.viewer.user,
        access.by_name,
        context.clock(),
        search=key,
        limit=first,
    )
    loaded = await load_entities(context, access, ids)
    return [loaded[i] for i in ids if i in loaded]


async def entities_of(
    context: Context, access: Access, notes: Sequence[str]
) -> dict[str, list[str]]:
    """Entity ids of readable notes."""
    return await store.entities_of_notes(context.graph, notes, access.by_name, context.clock())


async def notes_of(
    context: Context,
    access: Access,
    ids: Sequence[str],
    limit: int,
    as_of: datetime | None = None,
) -> dict[str, list[str]]:
    """Readable note ids of entities, newest first; as of an instant those known and true then."""
    return await store.notes_of_entities(
        context.graph,
        access.viewer.user,
        ids,
        access.by_name,
        context.clock(),
        limit,
        check_instant(as_of, "asOf"),
    )


async def relations_of(
    context: Context,
    access: Access,
    ids: Sequence[str],
    limit: int,
    as_of: datetime | None = None,
) -> dict[str, list[Relation]]:
    """What readable notes say of entities; as of an instant what was known and true then."""
    return await store.relations_of(
        context.graph,
        access.viewer.user,
        ids,
        access.by_name,
        context.clock(),
        min(limit, MAX_RELATIONS),
        check_instant(as_of, "asOf"),
    )


async def paths(
    context: Context, access: Access, start: str, end: str, max_hops: int, first: int
) -> list[Path]:
    """The shortest paths between two entities (names or ids) over readable notes and relations."""
    if not 1 <= max_hops <= MAX_HOPS:
        raise Invalid(f"maxHops must be from 1 to {MAX_HOPS}")
    check_first(first, MAX_PATHS)
    one, other = [await _by_name_or_id(context, access, text) for text in (start, end)]
    if one.id == other.id:
        raise Invalid("from and to are the same entity")
    found = await store.find_paths(
        context.graph,
        access.viewer.user,
        (one.id, other.id),
        access.by_name,
        context.clock(),
        max_hops=max_hops,
        first=first,
    )
    ids = {node[0] for nodes, _ in found for node in nodes if node[1] == "entity"}
    names = {i: e.name for i, e in (await load_entities(context, access, sorted(ids))).items()}
    return [store.to_path(nodes, steps, names) for nodes, steps in found]


async def _by_name_or_id(context: Context, access: Access, text: str) -> Entity:
    check_text(text, "name", MAX_NAME)
    found = await _find(context, access, [text], by_id=True)
    found = found or await _find(context, access, [text], by_id=False)
    if not found:
        raise missing("entity")
    return found[0]
