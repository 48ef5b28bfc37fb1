"""Loads what nested fields ask for: one query for all notes of an operation, not one for each."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from strawberry.dataloader import DataLoader

from graphmem.api.context import Operation
from graphmem.services import actors, resolution
from graphmem.services.reading import entities
from graphmem.services.reading import notes as reading
from graphmem.services.teams import teams
from graphmem.services.writing import changing as notes
from graphmem.services.writing import links

Key = TypeVar("Key", bound=Hashable)
MAX_BATCH = 1000


def _loader(
    operation: Operation, name: str, load: Callable[[list[Any]], Awaitable[list[Any]]]
) -> DataLoader[Any, Any]:
    found = operation.loaders.get(name)
    if found is None:
        found = DataLoader(load_fn=load, max_batch_size=MAX_BATCH)
        operation.loaders[name] = found
    return found


def note_loader(operation: Operation) -> DataLoader[str, Any]:
    """Readable notes by id; None for others."""

    async def load(ids: list[str]) -> list[Any]:
        found = await reading.load_many(operation.service, operation.access, ids)
        return [found.get(i) for i in ids]

    return _loader(operation, "notes", load)


def entity_loader(operation: Operation, *, past: bool = False) -> DataLoader[str, Any]:
    """Entities by id, as far as readable notes back them; `past`: superseded ones, too."""

    async def load(ids: list[str]) -> list[Any]:
        found = await entities.load_entities(operation.service, operation.access, ids, past=past)
        return [found.get(i) for i in ids]

    return _loader(operation, "past entities" if past else "entities", load)


def note_entities_loader(operation: Operation) -> DataLoader[str, list[str]]:
    """Entity ids by note id."""

    async def load(ids: list[str]) -> list[list[str]]:
        found = await entities.entities_of(operation.service, operation.access, ids)
        return [found.get(i, []) for i in ids]

    return _loader(operation, "note entities", load)


def links_loader(operation: Operation, first: int) -> DataLoader[str, list[Any]]:
    """Links by note id, at most `first` each."""
    return _listed(operation, f"links {first}", links.links_of, first)


def revisions_loader(operation: Operation, first: int) -> DataLoader[str, list[Any]]:
    """Revisions by note id, newest first, at most `first` each."""
    return _listed(operation, f"revisions {first}", notes.revisions_of, first)


def wordings_loader(operation: Operation, first: int) -> DataLoader[str, list[Any]]:
    """Wordings by note id, oldest first, at most `first` each."""
    return _listed(operation, f"wordings {first}", notes.wordings_of, first)


def entity_notes_loader(
    operation: Operation, first: int, as_of: datetime | None = None
) -> DataLoader[str, list[str]]:
    """Readable note ids by entity id, at most `first` each."""
    read = partial(entities.notes_of, as_of=as_of)
    return _listed(operation, f"entity notes {first} {as_of}", read, first)


def relations_loader(
    operation: Operation, first: int, as_of: datetime | None = None
) -> DataLoader[str, list[Any]]:
    """Relations by entity id, at most `first` each."""
    read = partial(entities.relations_of, as_of=as_of)
    return _listed(operation, f"relations {first} {as_of}", read, first)


def merges_loader(operation: Operation, first: int) -> DataLoader[str, list[Any]]:
    """What each entity absorbed, by entity id, at most `first` each."""
    return _listed(operation, f"merges {first}", resolution.merges_of, first)


def _listed(
    operation: Operation,
    name: str,
    read: Callable[[Any, Any, Sequence[str], int], Awaitable[Mapping[str, list[Any]]]],
    first: int,
) -> DataLoader[str, list[Any]]:
    async def load(ids: list[str]) -> list[list[Any]]:
        found = await read(operation.service, operation.access, ids, first)
        return [found.get(i, []) for i in ids]

    return _loader(operation, name, load)


def lineage_loader(operation: Operation) -> DataLoader[tuple[str, str], list[str]]:
    """Readable relatives by (note id, kind)."""

    async def load(keys: list[tuple[str, str]]) -> list[list[str]]:
        ids = sorted({note for note, _ in keys})
        found = await reading.lineage(operation.service, operation.access, ids)
        return [found.get(key, []) for key in keys]

    return _loader(operation, "lineage", load)


def agents_loader(operation: Operation) -> DataLoader[str, list[Any]]:
    """The agents of the viewer's user (the key is that user)."""

    async def load(users: list[str]) -> list[list[Any]]:
        found = await actors.list_agents(operation.service, operation.access)
        mine = operation.access.viewer.user
        return [found if user == mine else [] for user in users]

    return _loader(operation, "agents", load)


def written_loader(operation: Operation) -> DataLoader[str, int]:
    """How many readable notes each agent wrote."""

    async def load(ids: list[str]) -> list[int]:
        found = await actors.count_written(operation.service, operation.access, ids)
        return [found.get(i, 0) for i in ids]

    return _loader(operation, "written", load)


def teams_loader(operation: Operation) -> DataLoader[str, list[Any]]:
    """The teams that a user and the viewer's user are both in, by the id of the user."""

    async def load(users: list[str]) -> list[list[Any]]:
        found = await teams.list_teams(operation.service, operation.access)
        return [[team for team in found if user in team.members] for user in users]

    return _loader(operation, "teams", load)


def users_loader(operation: Operation) -> DataLoader[str, Any]:
    """Users by id: the viewer's own, and members of the same teams."""

    async def load(ids: list[str]) -> list[Any]:
        others = [i for i in ids if i != operation.access.viewer.user]
        found = await teams.load_mates(operation.service, operation.access, others)
        found |= await actors.load_users(operation.service, operation.access, ids)
        return [found.get(i) for i in ids]

    return _loader(operation, "users", load)
