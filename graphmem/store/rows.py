"""Rows: the inputs and results of queries as dataclasses. The codec of a note is defined only here,
and only `store` sees the dictionaries that the driver sends. Times are sent as times and read as
milliseconds since 1970, which the driver reads fast."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from graphmem.domain.ids import name_key
from graphmem.domain.notes import (
    BEGINNING,
    NEVER,
    Kind,
    Note,
    NoteType,
    Source,
    Status,
    Tier,
    Validity,
)
from graphmem.domain.visibility import Audience, Section, Visibility, owner_token
from graphmem.errors import Stale
from graphmem.language.text_features import features_of, text_key
from graphmem.store.times import EPOCH, instant_from_milliseconds

LAST_ID: Final = "\uffff"  # no id comes after it


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """An event to append, for readers of its audience; if it is also about another note with other
    readers, for those of them who may read `other_audience` too. `data` is JSON."""

    id: str
    at: datetime
    type: str
    channel: str
    actor: str
    subject_id: str | None
    domain: str | None
    audience: str
    other_id: str | None
    other_audience: str | None
    summary: str
    data: str


@dataclass(frozen=True, kw_only=True)
class RevisionRow:
    """A revision of a note; without a content, that of the note after the change."""

    version: int
    content: str | None = None
    changes: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class ChangeRow:
    """A change of an existing note: the version and audience that the decision was based on, the
    properties that it sets, its readers afterwards (None: the same), and additions to what its
    writer gave."""

    id: str
    version: int
    audience: str
    readers: Audience | None = None
    given: Mapping[str, object]
    revisions: Sequence[RevisionRow]
    given_tags: Sequence[str] = ()
    given_keywords: Sequence[str] = ()
    lent_tags: Sequence[str] = ()
    vector: Sequence[float] | None = None
    ended_at: datetime | None = None  # for the note's relations, if its status changes


@dataclass(frozen=True, kw_only=True)
class CreateRow:
    """A new note, with the properties of its node in addition to those of a note, such as its
    words."""

    note: Note
    properties: Mapping[str, object]
    embedding: Sequence[float]
    revisions: Sequence[RevisionRow]


@dataclass(frozen=True, kw_only=True)
class MentionRow:
    """A name that a note gives or contains. `of` is the entity that a given name is another name
    of; `within` are the entities whose longer names contain it."""

    note_id: str
    key: str
    name: str
    type: str
    cased: bool
    keys: Sequence[str]
    names: Sequence[str]
    count: int = 1
    given: bool
    of: str | None = None
    of_text: bool | None = None
    plain: bool | None = None
    within: Sequence[str] | None = None
    at: datetime | None = None  # when it was mentioned first; None: now


@dataclass(frozen=True, kw_only=True)
class CalledRow:
    """Another name that a note gives to an entity."""

    id: str
    note_id: str
    key: str
    other: str
    of_text: bool | None
    at: datetime | None = None  # None: now


@dataclass(frozen=True, kw_only=True)
class CoveredRow:
    """A mention that turns out to be inside a longer name."""

    note_id: str
    key: str
    by: str


@dataclass(frozen=True, kw_only=True)
class RelationRow:
    """A statement of a note about two entities."""

    note_id: str
    subject_key: str
    predicate: str
    object_key: str
    confidence: float | None
    valid_from: datetime | None
    valid_to: datetime | None
    of_text: bool | None
    created_at: datetime | None = None  # None: now


@dataclass(frozen=True, kw_only=True)
class LinkRow:
    """A link from a note to another one, and the tag that this one got from it, if any."""

    id: str
    source: str
    target: str
    kind: str
    strength: float
    reason: str | None
    gave: str | None = None


@cache
def _keys(kind: type) -> tuple[tuple[str, str], ...]:
    return tuple((field.name, _camel_case(field.name)) for field in fields(kind))


def _camel_case(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(word.title() for word in more)


def complete_rows(rows: Iterable[Any], *places: int | str) -> list[Any]:
    """Return the rows with a value at each of these places. Neo4j returns null for the properties
    that it has not read yet of a node that another transaction destroys, so a row with a null
    belongs to no node."""
    return [row for row in rows if all(row[place] is not None for place in places)]


def to_query_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return rows in the form that a query takes: the fields of each by their names in
    camelCase."""
    return [{key: getattr(row, name) for name, key in _keys(type(row))} for row in rows]


def revisions_of(rows: Iterable[RevisionRow]) -> list[dict[str, Any]]:
    """Return revisions in the form that a query takes, with the changes as JSON and the key of the
    text."""
    return [
        row
        | {
            "changes": json.dumps(dict(row["changes"])),
            "textKey": None if row["content"] is None else text_key(row["content"]),
        }
        for row in to_query_rows(rows)
    ]


def audience_map(audience: Audience) -> dict[str, str]:
    """Return the properties of an :Audience node."""
    return {
        "key": audience.key,
        "token": audience.token,
        "owner": audience.owner.name,
        "section" if audience.owner.is_team else "visibility": audience.section,
        "domain": audience.domain,
        "author": audience.author,
    }


def audience_token(audience: Audience) -> str:
    """Return what a note's full-text entry stores about its readers: the tokens of the audience and
    of the owner."""
    return f"{audience.token} {owner_token(audience.owner)}"


def text_properties(text: str) -> dict[str, object]:
    """Return the traits and the key of a note's content. The cost grows with the text, so this is
    done once, when it is written."""
    return {"traits": int(features_of(text)), "textKey": text_key(text)}


def note_properties(note: Note) -> dict[str, object]:
    """Return a note as properties of its node, without the vector and `text_properties`."""
    return {
        "id": note.id,
        "user": note.user,
        "author": note.author,
        "externalId": note.external_id,
        "version": note.version,
        "content": note.content,
        "title": note.title,
        "titleKey": name_key(note.title) if note.title else None,
        "context": note.context,
        "keywords": list(note.keywords),
        "tags": list(note.tags),
        "kind": note.kind,
        "type": note.type,
        "source": note.source,
        "validity": note.validity,
        "importance": note.importance,
        "confidence": note.confidence,
        "loadBearing": note.load_bearing,
        "pinned": note.pinned,
        "domain": note.domain,
        "visibility": note.visibility,
        "section": note.section,
        "audience": note.audience.key,
        "audienceToken": audience_token(note.audience),
        "tier": note.tier,
        "status": note.status,
        "halfLifeHours": note.half_life_hours,
        "accessCount": note.access_count,
        "accessTimes": list(note.accesses),
        "createdAt": note.created_at,
        "updatedAt": note.updated_at,
        "occurredAt": note.occurred_at,
        "happenedAt": note.occurred_at or note.created_at,
        "validFrom": note.valid_from or BEGINNING,
        "validTo": note.valid_to or NEVER,
        "expiresAt": note.expires_at or NEVER,
        "episode": note.episode,
        "speaker": note.speaker,
        "metadata": None if note.metadata is None else json.dumps(note.metadata),
        "quarantined": note.held_because,
        "heldFrom": note.held_from,
    }


_OF_EACH_NOTE = (
    *("id", "user", "version", "content", "keywords", "tags", "kind", "type", "source", "validity"),
    *("visibility", "tier", "status", "accessTimes", "createdAt", "updatedAt"),
)


def to_note(row: Mapping[str, Any]) -> Note:
    """Return a note from its projection, which is the same in each query that returns notes. Raises
    Stale when the note was destroyed while it was read: then values are missing that each note
    has."""
    if any(row[name] is None for name in _OF_EACH_NOTE):
        raise Stale
    return _note_of(row)


def _note_of(row: Mapping[str, Any]) -> Note:
    return Note(
        id=row["id"],
        user=row["user"],
        author=row["author"],
        external_id=row["externalId"],
        version=row["version"],
        content=row["content"],
        title=row["title"],
        context=row["context"],
        keywords=tuple(row["keywords"]),
        tags=tuple(row["tags"]),
        kind=Kind(row["kind"]),
        type=NoteType(row["type"]),
        source=Source(row["source"]),
        validity=Validity(row["validity"]),
        importance=row["importance"],
        confidence=row["confidence"],
        load_bearing=row["loadBearing"],
        pinned=row["pinned"],
        domain=row["domain"],
        visibility=Visibility(row["visibility"]),
        section=None if row["section"] is None else Section(row["section"]),
        tier=Tier(row["tier"]),
        status=Status(row["status"]),
        half_life_hours=row["halfLifeHours"],
        access_count=row["accessCount"],
        accesses=tuple(EPOCH + timedelta(milliseconds=t) for t in row["accessTimes"]),
        created_at=EPOCH + timedelta(milliseconds=row["createdAt"]),
        updated_at=EPOCH + timedelta(milliseconds=row["updatedAt"]),
        occurred_at=instant_from_milliseconds(row["occurredAt"]),
        valid_from=instant_from_milliseconds(row["validFrom"]),
        valid_to=instant_from_milliseconds(row["validTo"]),
        expires_at=instant_from_milliseconds(row["expiresAt"]),
        episode=row["episode"],
        speaker=row["speaker"],
        metadata=None if row["metadata"] is None else json.loads(row["metadata"]),
        held_because=row.get("quarantined"),
        held_from=Visibility(row["heldFrom"]) if row.get("heldFrom") else None,
    )
