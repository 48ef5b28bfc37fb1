"""Names that belong to one entity for a viewer."""

from collections.abc import Sequence

from graphmem.domain.identity import Groups, groups_of
from graphmem.domain.ids import entity_id, name_key
from graphmem.domain.notes import NoteFilter
from graphmem.services.context import Access, Context
from graphmem.store import entities as store
from graphmem.store.notes import About


async def groups_for(
    context: Context,
    access: Access,
    ids: Sequence[str],
    *,
    audiences: Sequence[str] | None = None,
    past: bool = False,
) -> Groups:
    """Return which names belong to one entity with those of the ids, for this viewer."""
    ties = await store.ties_of(
        context.graph,
        access.viewer.user,
        ids,
        access.by_name if audiences is None else audiences,
        context.clock(),
        past=past,
    )
    return groups_of(ties)


async def find_names_of_form(
    context: Context, access: Access, name: str, audiences: Sequence[str], *, past: bool = False
) -> list[str]:
    """Return the ids of names with the same form as a name that no readable note has itself."""
    user = access.viewer.user
    return await store.ids_of_form(context.graph, user, name, audiences, context.clock(), past=past)


async def names_of(
    context: Context, access: Access, text: str, audiences: Sequence[str]
) -> tuple[str, ...]:
    """Return the ids of all names of the entity of an id or name; none if no note names it."""
    user = access.viewer.user
    exact = list(dict.fromkeys((text, entity_id(user, name_key(text)))))
    for wanted in exact:
        names = await _names_of(context, access, wanted, audiences)
        if names:
            return names
    for wanted in await find_names_of_form(context, access, text, audiences):
        return await _names_of(context, access, wanted, audiences)
    return ()


async def _names_of(
    context: Context, access: Access, wanted: str, audiences: Sequence[str]
) -> tuple[str, ...]:
    groups = await groups_for(context, access, [wanted], audiences=audiences)
    rows = store.group_rows(groups, [wanted])
    user, now = access.viewer.user, context.clock()
    found = await store.get_entities(context.graph, user, rows, audiences, now)
    return groups.names_of(wanted) if wanted in found else ()


async def filter_entity_names(
    context: Context, access: Access, given: NoteFilter, audiences: Sequence[str]
) -> About | None:
    """Return the names of a filter's entity that these audiences introduce, if there is one."""
    if given.entity is None:
        return None
    return About(await names_of(context, access, given.entity, audiences), tuple(audiences))
