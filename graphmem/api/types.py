"""The object types of the API. They refer to each other, so they are in one file. The `self` of
resolvers is a plain answer of `operations`, whose attributes have these names; related objects are
loaded by loaders."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, Team, User
from graphmem.api.context import Info
from graphmem.api.enums import (
    Kind,
    NoteType,
    Source,
    Status,
    Tier,
    Validity,
    Visibility,
)
from graphmem.api.loaders import load_notes
from graphmem.api.scalars import JSON
from graphmem.operations import related
from graphmem.operations.fields import parse
from graphmem.operations.presenters.entities import entity_of, merge_of, relations_of
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


@strawberry.type
class Wording:
    """One wording of what a note says."""

    at: datetime
    actor: str
    content: str
    speaker: str | None
    occurred_at: datetime | None


@strawberry.type
class Revision:
    """A state of a note's text."""

    version: int
    at: datetime
    actor: str
    content: str
    changes: JSON


@strawberry.type
class Note:
    """One piece of memory. `externalId` is its author's own id of it, unique for that author."""

    id: strawberry.ID
    external_id: str | None
    """its author's own id of it"""
    version: int
    """1 at first, one more with each change"""
    content: str
    """the text"""
    language: str | None
    """the primary tag (BCP 47) of the language that the text seems to be in, such as `en` or `ja`;
    null where that is not sure"""
    title: str | None
    """a short title, or the name of what it is about"""
    context: str | None
    """one sentence on what it is about"""
    keywords: list[str]
    """three to seven words that stand out"""
    tags: list[str]
    """three to five tags"""
    kind: Kind
    """which store of memory it belongs to"""
    type: NoteType
    """what kind of statement it is"""
    source: Source
    """where it comes from"""
    validity: Validity
    """how sure it is"""
    importance: float
    """how important it is, from 0 to 1"""
    confidence: float
    """how sure it is as a number, from 0 to 1"""
    load_bearing: bool
    """whether other things depend on it"""
    pinned: bool
    """whether it never decays"""
    domain: str
    """what it belongs to, as a path such as `business/sales`"""
    visibility: Visibility
    """how far it is open to the user's agents"""
    tier: Tier
    """how long it is meant to last"""
    status: Status
    """how alive it is"""
    activation: float
    """how present it is by when and how often it was used (the base level of ACT-R)"""
    retention: float
    """what is left of it by its half-life, from 0 to 1"""
    relevance: float
    """how much it counts after days without use"""
    half_life_hours: float | None
    """hours without use that halve its retention; null: it never decays"""
    access_count: int
    """how often it was used"""
    last_accessed_at: datetime | None
    """when it was used last"""
    created_at: datetime
    """when it was written"""
    updated_at: datetime
    """when it was changed last"""
    occurred_at: datetime | None
    """when it happened"""
    valid_from: datetime | None
    """from when on it is true"""
    valid_to: datetime | None
    """until when it is true"""
    expires_at: datetime | None
    """from when on it is no longer returned"""
    episode: str | None
    """the conversation or day that it belongs to"""
    speaker: str | None
    """who said it"""
    metadata: JSON | None
    """what its writer added, as JSON"""
    user_id: strawberry.Private[str]
    author_id: strawberry.Private[str | None]

    @strawberry.field
    async def user(self, info: Info) -> User | None:
        """The user whose memory it is."""
        return await loaders.users_loader(info.context).load(self.user_id)

    @strawberry.field
    async def author(self, info: Info) -> Agent | None:
        """The agent that wrote it; null: the user in person."""
        return await loaders.agent_of(info.context, self.user_id, self.author_id)

    @strawberry.field
    async def entities(self, info: Info) -> list[Entity]:
        """The entities that it is about."""
        ids = await loaders.note_entities_loader(info.context).load(self.id)
        found = await loaders.entity_loader(info.context).load_many(ids)
        return shown([entity_of(entity) for entity in found if entity])

    @strawberry.field
    async def links(self, info: Info, first: int | None = Nested.first) -> list[Link]:
        """Its links to readable notes, strongest first."""
        context = info.context
        found = await loaders.links_loader(context, size_of(first)).load(self.id)
        ids = dict.fromkeys(end for each in found for end in (each.source, each.target))
        ends = {note.id: note for note in await load_notes(context, list(ids))}
        return shown(links_of(found, ends))

    @strawberry.field
    async def revisions(self, info: Info, first: int | None = Nested.first) -> list[Revision]:
        """Its states, newest first, as far as those who could read them then may see them."""
        return await loaders.revisions_loader(info.context, size_of(first)).load(self.id)

    @strawberry.field
    async def wordings(self, info: Info, first: int | None = Nested.first) -> list[Wording]:
        """Its wordings, oldest first."""
        return await loaders.wordings_loader(info.context, size_of(first)).load(self.id)

    @strawberry.field
    async def superseded_by(self, info: Info) -> Note | None:
        """The note that replaced it."""
        ids = await loaders.lineage_loader(info.context).load((self.id, "supersededBy"))
        found = await load_notes(info.context, ids)
        return found[0] if found else None

    @strawberry.field
    async def derived_from(self, info: Info) -> list[Note]:
        """The notes that it was made from."""
        ids = await loaders.lineage_loader(info.context).load((self.id, "derivedFrom"))
        return await load_notes(info.context, ids)

    @strawberry.field
    async def session_id(self, info: Info) -> strawberry.ID | None:
        """The session of an agent in which it was written."""
        return shown(await loaders.sessions_loader(info.context).load(self.id))

    @strawberry.field
    async def readable_by(self, info: Info) -> list[Agent]:
        """The agents of the user that may see it without asking explicitly."""
        agents = await loaders.agents_loader(info.context).load(self.user_id)
        return shown(related.readers_of(shown(self), agents))

    @strawberry.field
    async def readers(self, info: Info) -> list[Reader]:
        """Its readers, with the reasons. The agents that it is lent to for a task are at
        `handoffs`."""
        agents = await loaders.agents_loader(info.context).load(self.user_id)
        own = await loaders.shared_loader(info.context).load(self.user_id)
        return shown(readers_with_reasons(shown(self), agents, own))


@strawberry.type
class Reader:
    """A reader of a note: an agent, the members of a team, or, without either, the user in
    person."""

    agent: Agent | None
    reason: str
    team_id: strawberry.Private[str | None]

    @strawberry.field
    async def team(self, info: Info) -> Team | None:
        """The team whose members get it by `consult`."""
        if self.team_id is None:
            return None
        return await loaders.own_teams_loader(info.context).load(self.team_id)


@strawberry.type
class Link:
    """A typed connection between two notes."""

    id: strawberry.ID
    kind: str
    strength: float
    reason: str | None
    source: Note
    target: Note
    created_at: datetime


@strawberry.type
class Entity:
    """A thing that notes are about."""

    id: strawberry.ID
    name: str
    type: str
    aliases: list[str]
    note_count: int
    as_of: strawberry.Private[datetime | None] = None

    @strawberry.field
    async def summary(self, info: Info) -> str | None:
        """The first sentences of its newest readable notes; made when asked, never stored."""
        ids = await loaders.entity_notes_loader(info.context, SUMMARISED).load(self.id)
        return related.summary_of(await load_notes(info.context, ids))

    @strawberry.field
    async def notes(self, info: Info, first: int | None = Nested.first) -> list[Note]:
        """Readable notes about it, newest first."""
        size, at = size_of(first), self.as_of
        ids = await loaders.entity_notes_loader(info.context, size, at).load(self.id)
        return await load_notes(info.context, ids, at)

    @strawberry.field
    async def relations(
        self, info: Info, first: int | None = NestedRelations.first
    ) -> list[Relation]:
        """The statements of readable notes about it and others."""
        context, size, at = info.context, size_of(first, NestedRelations), self.as_of
        found = await loaders.relations_loader(context, size, at).load(self.id)
        ids = list(dict.fromkeys(end for each in found for end in (each.subject, each.object)))
        ends = await loaders.entity_loader(context, past=at is not None).load_many(ids)
        named = {entity.id: entity_of(entity, at) for entity in ends if entity}
        return shown(relations_of(found, named, at))

    @strawberry.field
    async def merged_from(self, info: Info) -> list[EntityMerge]:
        """The entities that were merged into it, newest first; at most 50."""
        found = await loaders.merges_loader(info.context).load(self.id)
        return shown([merge_of(each, shown(self)) for each in found])


@strawberry.type
class EntityMerge:
    """A merge of one entity into another."""

    id: strawberry.ID
    at: datetime
    actor: str
    score: float
    kept: Entity
    merged_name: str
    undone: bool


@strawberry.type
class Relation:
    """A statement of readable notes about two entities."""

    id: strawberry.ID
    subject: Entity
    predicate: str
    inverse: str | None
    """the predicate as seen from the object: `used-by` for `uses`; null if there is no word"""
    object: Entity
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    first_seen_at: datetime
    last_accessed_at: datetime | None
    note_ids: strawberry.Private[tuple[str, ...]]
    as_of: strawberry.Private[datetime | None] = None

    @strawberry.field
    async def notes(self, info: Info) -> list[Note]:
        """The readable notes that say so, oldest first."""
        return await load_notes(info.context, self.note_ids, self.as_of)
