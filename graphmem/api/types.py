"""The object types of the API. They refer to each other, so they are in one file. The `self` of
resolvers is a plain answer of `operations`, whose attributes have these names; related objects are
loaded by loaders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, Team, User
from graphmem.api.context import Info
from graphmem.api.loaders import load_notes
from graphmem.api.object_types import computed_fields, fields_of_answer
from graphmem.api.scalars import JSON
from graphmem.domain import notes as domain
from graphmem.domain.entities import Entity as Thing
from graphmem.operations import related
from graphmem.operations.parsing import parse
from graphmem.operations.presenters import entities, notes, readers
from graphmem.operations.presenters.entities import merge_of, relations_of
from graphmem.operations.presenters.notes import links_of
from graphmem.operations.presenters.readers import readers_with_reasons
from graphmem.operations.related import Nested, NestedRelations

SUMMARISED = related.MAX_SUMMARISED


def size_of(first: int | None, kind: type[Nested] = Nested) -> int:
    """Return the number of entries wanted from a nested list. Raises Invalid."""
    return parse(kind, {"first": first}).first


def shown(answer: object) -> Any:
    """Return a plain answer unchanged, typed as the object type that has its fields."""
    return answer


@fields_of_answer(domain.Wording)
class Wording:
    """One wording of what a note says."""


@fields_of_answer(domain.Revision)
class Revision:
    """A state of a note's text."""


@fields_of_answer(domain.Note, leave=("user", "author"), external_id=str, metadata=JSON | None)
@computed_fields(notes.NoteState)
class Note:
    """One piece of memory. `externalId` is its author's own id of it, unique for that author."""

    @strawberry.field
    @staticmethod
    async def user(root: strawberry.Parent[domain.Note], info: Info) -> User | None:
        """The user whose memory it is."""
        return await loaders.users_loader(info.context).load(root.user)

    @strawberry.field
    @staticmethod
    async def author(root: strawberry.Parent[domain.Note], info: Info) -> Agent | None:
        """The agent that wrote it; null: the user in person."""
        return await loaders.agent_of(info.context, root.user, root.author)

    @strawberry.field
    @staticmethod
    async def entities(root: strawberry.Parent[domain.Note], info: Info) -> list[Entity]:
        """The entities that it is about."""
        ids = await loaders.note_entities_loader(info.context).load(root.id)
        found = await loaders.entity_loader(info.context).load_many(ids)
        return shown([entity for entity in found if entity])

    @strawberry.field
    @staticmethod
    async def links(
        root: strawberry.Parent[domain.Note], info: Info, first: int | None = Nested.first
    ) -> list[Link]:
        """Its links to readable notes, strongest first."""
        context = info.context
        found = await loaders.links_loader(context, size_of(first)).load(root.id)
        ids = dict.fromkeys(end for each in found for end in (each.source, each.target))
        ends = {note.id: note for note in await load_notes(context, list(ids))}
        return shown(links_of(found, ends))

    @strawberry.field
    @staticmethod
    async def revisions(
        root: strawberry.Parent[domain.Note], info: Info, first: int | None = Nested.first
    ) -> list[Revision]:
        """Its states, newest first, as far as those who could read them then may see them."""
        return await loaders.revisions_loader(info.context, size_of(first)).load(root.id)

    @strawberry.field
    @staticmethod
    async def wordings(
        root: strawberry.Parent[domain.Note], info: Info, first: int | None = Nested.first
    ) -> list[Wording]:
        """Its wordings, oldest first."""
        return await loaders.wordings_loader(info.context, size_of(first)).load(root.id)

    @strawberry.field
    @staticmethod
    async def superseded_by(root: strawberry.Parent[domain.Note], info: Info) -> Note | None:
        """The note that replaced it."""
        ids = await loaders.lineage_loader(info.context).load((root.id, "supersededBy"))
        found = await load_notes(info.context, ids)
        return found[0] if found else None

    @strawberry.field
    @staticmethod
    async def derived_from(root: strawberry.Parent[domain.Note], info: Info) -> list[Note]:
        """The notes that it was made from."""
        ids = await loaders.lineage_loader(info.context).load((root.id, "derivedFrom"))
        return await load_notes(info.context, ids)

    @strawberry.field
    @staticmethod
    async def session_id(root: strawberry.Parent[domain.Note], info: Info) -> strawberry.ID | None:
        """The session of an agent in which it was written."""
        return shown(await loaders.sessions_loader(info.context).load(root.id))

    @strawberry.field
    @staticmethod
    async def readable_by(root: strawberry.Parent[domain.Note], info: Info) -> list[Agent]:
        """The agents of the user that may see it without asking explicitly."""
        agents = await loaders.agents_loader(info.context).load(root.user)
        return shown(related.readers_of(root, agents))

    @strawberry.field
    @staticmethod
    async def readers(root: strawberry.Parent[domain.Note], info: Info) -> list[Reader]:
        """Its readers, with the reasons. The agents that it is lent to for a task are at
        `handoffs`."""
        agents = await loaders.agents_loader(info.context).load(root.user)
        own = await loaders.shared_loader(info.context).load(root.user)
        return shown(readers_with_reasons(root, agents, own))


@fields_of_answer(readers.Reader, leave=("team_id",), agent=Agent)
class Reader:
    """A reader of a note: an agent, the members of a team, or, without either, the user in
    person."""

    @strawberry.field
    @staticmethod
    async def team(root: strawberry.Parent[readers.Reader], info: Info) -> Team | None:
        """The team whose members get it by `consult`."""
        if root.team_id is None:
            return None
        return await loaders.own_teams_loader(info.context).load(root.team_id)


@fields_of_answer(notes.Link, source=Note, target=Note)
class Link:
    """A typed connection between two notes."""


@fields_of_answer(Thing, leave=("as_of",))
class Entity:
    """A thing that notes are about."""

    @strawberry.field
    @staticmethod
    async def summary(root: strawberry.Parent[Thing], info: Info) -> str | None:
        """The first sentences of its newest readable notes; made when asked, never stored."""
        ids = await loaders.entity_notes_loader(info.context, SUMMARISED).load(root.id)
        return related.summary_of(await load_notes(info.context, ids))

    @strawberry.field
    @staticmethod
    async def notes(
        root: strawberry.Parent[Thing], info: Info, first: int | None = Nested.first
    ) -> list[Note]:
        """Readable notes about it, newest first."""
        size, at = size_of(first), root.as_of
        ids = await loaders.entity_notes_loader(info.context, size, at).load(root.id)
        return await load_notes(info.context, ids, at)

    @strawberry.field
    @staticmethod
    async def relations(
        root: strawberry.Parent[Thing],
        info: Info,
        first: int | None = NestedRelations.first,
    ) -> list[Relation]:
        """Its relations to other entities, as readable notes state them."""
        context, size, at = info.context, size_of(first, NestedRelations), root.as_of
        found = await loaders.relations_loader(context, size, at).load(root.id)
        ids = list(dict.fromkeys(end for each in found for end in (each.subject, each.object)))
        ends = await loaders.entity_loader(context, past=at is not None).load_many(ids)
        named = {entity.id: replace(entity, as_of=at) for entity in ends if entity}
        return shown(relations_of(found, named, at))

    @strawberry.field
    @staticmethod
    async def merged_from(root: strawberry.Parent[Thing], info: Info) -> list[EntityMerge]:
        """The entities that were merged into it, newest first; at most 50."""
        found = await loaders.merges_loader(info.context).load(root.id)
        return shown([merge_of(each, root) for each in found])


@fields_of_answer(entities.EntityMerge, kept=Entity)
class EntityMerge:
    """A merge of one entity into another."""


@fields_of_answer(entities.Relation, leave=("note_ids", "as_of"), subject=Entity, object=Entity)
class Relation:
    """A statement of readable notes about two entities."""

    @strawberry.field
    @staticmethod
    async def notes(root: strawberry.Parent[entities.Relation], info: Info) -> list[Note]:
        """The readable notes that say so, oldest first."""
        return await load_notes(info.context, root.note_ids, root.as_of)
