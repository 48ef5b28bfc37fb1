"""Loaders for nested fields: one query for all notes of an operation, not one for each."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from strawberry.dataloader import DataLoader

from graphmem.api.context import Operation
from graphmem.operations import related

Key = TypeVar("Key", bound=Hashable)
MAX_BATCH = 1000


def _get_loader(
    operation: Operation, name: str, load: Callable[[list[Any]], Awaitable[list[Any]]]
) -> DataLoader[Any, Any]:
    found = operation.loaders.get(name)
    if found is None:
        found = DataLoader(load_fn=load, max_batch_size=MAX_BATCH)
        operation.loaders[name] = found
    return found


def _get_mapped_loader(
    operation: Operation,
    name: str,
    read: Callable[[Operation, list[Any]], Awaitable[Mapping[Any, Any]]],
    default: Callable[[], Any],
) -> DataLoader[Any, Any]:
    """Return a loader for a function that returns what it finds by key."""

    async def load(keys: list[Any]) -> list[Any]:
        found = await read(operation, keys)
        return [found[key] if key in found else default() for key in keys]

    return _get_loader(operation, name, load)


def _return_none() -> None:
    return None


async def load_notes(
    operation: Operation, ids: Sequence[str], as_of: datetime | None = None
) -> list[Any]:
    """Return the readable notes among the ids, in their order, as they were at `as_of` if given."""
    found = await note_loader(operation, as_of).load_many(list(ids))
    return [note for note in found if note]


def note_loader(operation: Operation, as_of: datetime | None = None) -> DataLoader[str, Any]:
    """Return a loader of readable notes by id, as they were at `as_of` if given; None for
    others."""
    read = partial(related.load_notes, as_of=as_of)
    return _get_mapped_loader(operation, f"notes {as_of}", read, _return_none)


def entity_loader(operation: Operation, *, past: bool = False) -> DataLoader[str, Any]:
    """Return a loader of entities by id, as far as readable notes support them; with `past`,
    superseded ones count too."""
    read = partial(related.load_entities, past=past)
    return _get_mapped_loader(operation, f"entities {past}", read, _return_none)


def note_entities_loader(operation: Operation) -> DataLoader[str, list[str]]:
    """Return a loader of entity ids by note id."""
    return _get_mapped_loader(operation, "note entities", related.entities_of_notes, list)


def links_loader(operation: Operation, first: int) -> DataLoader[str, list[Any]]:
    """Return a loader of links by note id, at most `first` each."""
    return _get_mapped_loader(
        operation, f"links {first}", partial(related.links_of_notes, first=first), list
    )


def revisions_loader(operation: Operation, first: int) -> DataLoader[str, list[Any]]:
    """Return a loader of revisions by note id, newest first, at most `first` each."""
    read = partial(related.revisions_of_notes, first=first)
    return _get_mapped_loader(operation, f"revisions {first}", read, list)


def wordings_loader(operation: Operation, first: int) -> DataLoader[str, list[Any]]:
    """Return a loader of wordings by note id, oldest first, at most `first` each."""
    read = partial(related.wordings_of_notes, first=first)
    return _get_mapped_loader(operation, f"wordings {first}", read, list)


def entity_notes_loader(
    operation: Operation, first: int, as_of: datetime | None = None
) -> DataLoader[str, list[str]]:
    """Return a loader of readable note ids by entity id, at most `first` each."""
    read = partial(related.notes_of_entities, first=first, as_of=as_of)
    return _get_mapped_loader(operation, f"entity notes {first} {as_of}", read, list)


def relations_loader(
    operation: Operation, first: int, as_of: datetime | None = None
) -> DataLoader[str, list[Any]]:
    """Return a loader of relations by entity id, at most `first` each."""
    read = partial(related.relations_of_entities, first=first, as_of=as_of)
    return _get_mapped_loader(operation, f"relations {first} {as_of}", read, list)


def merges_loader(operation: Operation) -> DataLoader[str, list[Any]]:
    """Return a loader of the merges into each entity, by entity id."""
    return _get_mapped_loader(operation, "merges", related.merges_of_entities, list)


def lineage_loader(operation: Operation) -> DataLoader[tuple[str, str], list[str]]:
    """Return a loader of readable relatives by (note id, kind)."""

    async def read(operation: Operation, keys: list[tuple[str, str]]) -> Mapping[Any, Any]:
        return await related.lineage_of_notes(operation, sorted({note for note, _ in keys}))

    return _get_mapped_loader(operation, "lineage", read, list)


def agents_loader(operation: Operation) -> DataLoader[str, list[Any]]:
    """Return a loader of the agents of a user; none except for the viewer's own."""
    return _get_loader(operation, "agents", partial(related.agents_of_users, operation))


async def agent_of(operation: Operation, user: str, agent: str | None) -> Any:
    """Return an agent of a user by its id, None if there is none that the viewer may know of."""
    found = await agents_loader(operation).load(user)
    return next((each for each in found if each.id == agent), None)


def written_loader(operation: Operation) -> DataLoader[str, Any]:
    """Return a loader of the number of readable notes that each agent wrote, and the time of the
    newest."""
    return _get_mapped_loader(operation, "written", related.count_written, _return_none)


def expertise_loader(operation: Operation) -> DataLoader[tuple[str, str], list[Any]]:
    """Return a loader of the expertise of agents, (user, id), as far as the viewer may know it."""
    return _get_mapped_loader(operation, "expertise", related.expertise_of_agents, list)


def sessions_loader(operation: Operation) -> DataLoader[str, str | None]:
    """Return a loader of the session in which each readable note was written, by note id."""
    return _get_mapped_loader(operation, "sessions", related.sessions_of_notes, _return_none)


def promoted_loader(operation: Operation) -> DataLoader[str, list[str]]:
    """Return a loader of the readable notes that came from sessions, by session id."""
    return _get_mapped_loader(operation, "promoted", related.notes_of_sessions, list)


def proposals_loader(operation: Operation) -> DataLoader[str, Any]:
    """Return a loader of readable proposals by id; None for others."""
    return _get_mapped_loader(operation, "proposals", related.load_proposals, _return_none)


def knowledge_loader(operation: Operation) -> DataLoader[str, Any]:
    """Return a loader of knowledge of teams by id; None for what is not for the viewer."""
    return _get_mapped_loader(operation, "knowledge", related.load_knowledge, _return_none)


def skill_loader(operation: Operation) -> DataLoader[str, Any]:
    """Return a loader of skills of teams by id; None for what is not for the viewer."""
    return _get_mapped_loader(operation, "skills", related.load_skills, _return_none)


def teams_loader(operation: Operation) -> DataLoader[str, list[Any]]:
    """Return a loader of the teams that a user shares with the viewer's user, by the id of the
    user."""
    return _get_loader(operation, "teams", partial(related.teams_of_users, operation))


def own_teams_loader(operation: Operation) -> DataLoader[str, Any]:
    """Return a loader of teams of the viewer's user by id."""
    return _get_mapped_loader(operation, "own teams", related.own_teams, _return_none)


def shared_loader(operation: Operation) -> DataLoader[str, list[Any]]:
    """Return a loader of the domains that a user shares with the viewer's teams, by the id of the
    user."""
    return _get_mapped_loader(operation, "shared domains", related.shared_by_users, list)


def users_loader(operation: Operation) -> DataLoader[str, Any]:
    """Return a loader of users by id: the viewer's own, and members of the same teams."""
    return _get_mapped_loader(operation, "users", related.load_users, _return_none)
