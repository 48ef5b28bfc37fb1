"""The object types of the API. They refer to each other, so they stand together; each holds plain
attributes and loads its neighbours through loaders."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, User, agent_of, user_of
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
from graphmem.api.plain import (
    EntityMerge,
    Revision,
    Wording,
    merge_of,
    revision_of,
    wording_of,
)
from graphmem.api.scalars import JSON
from graphmem.domain import entities, notes
from graphmem.domain.actors import Viewer
from graphmem.domain.predicates import inverse
from graphmem.domain.strength import strength
from graphmem.domain.visibility import Reading, may_read
from graphmem.services.reading.history import as_then
from graphmem.services.reading.notes import check_first

MAX_NESTED = 100


def nested(first: int | None, default: int) -> int:
    """The page size of a nested list. Raises Invalid over 100."""
    return check_first(default if first is None else first, MAX_NESTED)


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
    session_id: strawberry.ID | None
    """sessions are not built yet"""
    domain_note: strawberry.Private[notes.Note]

    @strawberry.field
    async def user(self, info: Info) -> User | None:
        """Whose memory it is."""
        found = await loaders.users_loader(info.context).load(self.domain_note.user)
        return user_of(found) if found else None

    @strawberry.field
    async def author(self, info: Info) -> Agent | None:
        """The agent that wrote it; null: the user in person."""
        name = self.domain_note.author
        agents = await loaders.agents_loader(info.context).load(self.domain_note.user)
        return next((agent_of(agent) for agent in agents if agent.id == name), None)

    @strawberry.field
    async def entities(self, info: Info) -> list[Entity]:
        """What it is about."""
        ids = await loaders.note_entities_loader(info.context).load(self.id)
        found = await loaders.entity_loader(info.context).load_many(ids)
        return [entity_of(entity) for entity in found if entity]

    @strawberry.field
    async def links(self, info: Info, first: int | None = 20) -> list[Link]:
        """Its links to readable notes, strongest first."""
        found = await loaders.links_loader(info.context, nested(first, 20)).load(self.id)
        return await links_of(info, found)

    @strawberry.field
    async def revisions(self, info: Info, first: int | None = 20) -> list[Revision]:
        """Its states, newest first, as far as its readers of then are told of them."""
        found = await loaders.revisions_loader(info.context, nested(first, 20)).load(self.id)
        return [revision_of(each) for each in found]

    @strawberry.field
    async def wordings(self, info: Info, first: int | None = 20) -> list[Wording]:
        """How it was told, again and again, the first telling first."""
        found = await loaders.wordings_loader(info.context, nested(first, 20)).load(self.id)
        return [wording_of(each) for each in found]

    @strawberry.field
    async def superseded_by(self, info: Info) -> Note | None:
        """The note that took its place."""
        ids = await loaders.lineage_loader(info.context).load((self.id, "supersededBy"))
        found = await load_notes(info, ids)
        return found[0] if found else None

    @strawberry.field
    async def derived_from(self, info: Info) -> list[Note]:
        """The notes that it was made from."""
        ids = await loaders.lineage_loader(info.context).load((self.id, "derivedFrom"))
        return await load_notes(info, ids)

    @strawberry.field
    async def readable_by(self, info: Info) -> list[Agent]:
        """Which agents of the user may see it without asking explicitly."""
        note = self.domain_note
        agents = await loaders.agents_loader(info.context).load(note.user)
        return [
            agent_of(agent)
            for agent in agents
            if may_read(Viewer(user=note.user, agent=agent), note.audience, Reading.BY_NAME)
        ]


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
        ids = await loaders.entity_notes_loader(info.context, 3).load(self.id)
        found = await load_notes(info, ids)
        return " ".join(note.context or note.content[:200] for note in found) or None

    @strawberry.field
    async def notes(self, info: Info, first: int | None = 20) -> list[Note]:
        """Readable notes about it, newest first."""
        size, at = nested(first, 20), self.as_of
        ids = await loaders.entity_notes_loader(info.context, size, at).load(self.id)
        return await load_notes(info, ids, at)

    @strawberry.field
    async def relations(self, info: Info, first: int | None = 50) -> list[Relation]:
        """What readable notes say of it and others."""
        size, at = nested(first, 50), self.as_of
        found = await loaders.relations_loader(info.context, size, at).load(self.id)
        return await relations_of(info, found, at)

    @strawberry.field
    async def merged_from(self, info: Info) -> list[EntityMerge]:
        """What became a part of it, newest first; at most 50."""
        found = await loaders.merges_loader(info.context, 50).load(self.id)
        return [merge_of(each, self) for each in found]


@strawberry.type
class Relation:
    """What readable notes say of two entities."""

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
        return await load_notes(info, self.note_ids, self.as_of)


def note_of(note: notes.Note, info: Info) -> Note:
    """A note as of now."""
    service = info.context.service
    strong = strength(note, service.clock(), service.ranking.act_r.d)
    return Note(
        id=strawberry.ID(note.id),
        external_id=note.external_id,
        version=note.version,
        content=note.content,
        title=note.title,
        context=note.context,
        keywords=list(note.keywords),
        tags=list(note.tags),
        kind=note.kind,
        type=note.type,
        source=note.source,
        validity=note.validity,
        importance=note.importance,
        confidence=note.confidence,
        load_bearing=note.load_bearing,
        pinned=note.pinned,
        domain=note.domain,
        visibility=note.visibility,
        tier=note.tier,
        status=note.status,
        activation=strong.activation,
        retention=strong.retention,
        relevance=strong.relevance,
        half_life_hours=note.half_life_hours,
        access_count=note.access_count,
        last_accessed_at=note.last_accessed_at,
        created_at=note.created_at,
        updated_at=note.updated_at,
        occurred_at=note.occurred_at,
        valid_from=note.valid_from,
        valid_to=note.valid_to,
        expires_at=note.expires_at,
        episode=note.episode,
        speaker=note.speaker,
        metadata=None if note.metadata is None else JSON(note.metadata),
        session_id=None,
        domain_note=note,
    )


async def load_notes(info: Info, ids: Any, as_of: datetime | None = None) -> list[Note]:
    """The readable notes among the ids, in their order, perhaps as they were."""
    found = await loaders.note_loader(info.context).load_many(list(ids))
    notes = [note for note in found if note]
    if as_of is not None:
        context = info.context
        past = await as_then(context.service, context.access.of_events, notes, as_of)
        notes = [past[note.id] for note in notes if note.id in past]
    return [note_of(note, info) for note in notes]


async def links_of(info: Info, found: list[notes.Link]) -> list[Link]:
    """Links with both of their notes, all loaded at once."""
    ids = dict.fromkeys(end for each in found for end in (each.source, each.target))
    ends: dict[str, Note] = {note.id: note for note in await load_notes(info, ids)}
    return [
        Link(
            id=strawberry.ID(each.id),
            kind=each.kind,
            strength=each.strength,
            reason=each.reason,
            source=ends[each.source],
            target=ends[each.target],
            created_at=each.created_at,
        )
        for each in found
        if each.source in ends and each.target in ends
    ]


def entity_of(entity: entities.Entity, as_of: datetime | None = None) -> Entity:
    """An entity."""
    return Entity(
        id=strawberry.ID(entity.id),
        name=entity.name,
        type=entity.type,
        aliases=list(entity.aliases),
        note_count=entity.note_count,
        as_of=as_of,
    )


async def relations_of(
    info: Info, found: list[entities.Relation], as_of: datetime | None = None
) -> list[Relation]:
    """Relations with both of their entities, all loaded at once."""
    ids = list(dict.fromkeys(end for each in found for end in (each.subject, each.object)))
    loaded = await loaders.entity_loader(info.context, past=as_of is not None).load_many(ids)
    ends: dict[str, Entity] = {entity.id: entity_of(entity, as_of) for entity in loaded if entity}
    return [
        Relation(
            id=strawberry.ID(each.id),
            subject=ends[each.subject],
            predicate=each.predicate,
            inverse=inverse(each.predicate),
            object=ends[each.object],
            confidence=each.confidence,
            valid_from=each.valid_from,
            valid_to=each.valid_to,
            first_seen_at=each.first_seen_at,
            last_accessed_at=each.last_accessed_at,
            note_ids=each.notes,
            as_of=as_of,
        )
        for each in found
        if each.subject in ends and each.object in ends
    ]
