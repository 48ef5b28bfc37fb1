"""Notes of an export, in the form in which they are created here."""

import json
from array import array
from base64 import b64decode
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.ai.embedder import Embedder
from graphmem.domain.activation import KEPT_ACCESSES
from graphmem.domain.alerts import names_file
from graphmem.domain.drafts import MAX_KEY, check_draft, check_name
from graphmem.domain.ids import check_id, digest, name_key
from graphmem.domain.notes import (
    Kind,
    Note,
    NoteDraft,
    NoteType,
    Operation,
    Source,
    Status,
    Tier,
    Validity,
)
from graphmem.domain.portable_values import ImportOwnership, Row
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.writing.construct import curated_key_of
from graphmem.store.rows import CalledRow, MentionRow, RelationRow

LONGEST_HALF_LIFE: Final = 87_600.0  # hours (DIFF-10)
# properties of the request that made the note
OF_REQUEST: Final = ("requestHash", "requestOperation")
_NODE_PROPERTIES: Final = (  # properties of a note's node that are copied unchanged
    *(
        "coreBlock",
        "coreMark",
        "archivedBy",
        "archivedByThen",
        "forgottenAt",
        "sourceUser",
        "visibilityByUser",
        "ruledElsewhere",
        "byHand",
        "foundElsewhere",
    ),
    *("successCount", "failureCount", "givenKeywords", "givenTags", "lentTags", "sourceAgents"),
    *("usedBy", "workedFor", "verifiedBy", "lastUsedAt", "helpedAt", "failedAt"),
    "wordedAt",
    *OF_REQUEST,
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """A checked note of an export: the note, further properties of its node, and its mentions."""

    note: Note
    beside: Row
    skill: bool
    curated_key: str | None
    external_key: str | None
    request_key: str | None
    vector: tuple[float, ...] | None
    mentions: tuple[MentionRow, ...]
    called: tuple[CalledRow, ...]
    relations: tuple[RelationRow, ...]


def given_note(
    row: Row, taking: ImportOwnership, now: datetime, embedder: Embedder | None
) -> Given:
    """Return the note of a checked line. Raises Invalid.

    `embedder`: the one whose model made the vectors in the file; None where they are of another.
    """
    try:
        return _parse_note(row, taking, now, embedder)
    except KeyError as exc:
        raise Invalid(f"{exc.args[0]} is missing") from exc
    except ValueError as exc:
        raise Invalid("a field has a value that is not known") from exc


def _parse_note(
    row: Row, taking: ImportOwnership, now: datetime, embedder: Embedder | None
) -> Given:
    note = _build_note(row, taking.user, now)
    mentions = tuple(_mention_row(each, note, taking) for each in row.get("mentions", ()))
    relations = tuple(_relation_row(each, note.id) for each in row.get("relations", ()))
    called = tuple(_called_row(each, note.id, taking) for each in row.get("called", ()))
    properties = {name: row[name] for name in _NODE_PROPERTIES if name in row}
    if "requestOperation" in properties:
        Operation(properties["requestOperation"])
    if properties.get("sourceUser") == taking.source:
        properties["sourceUser"] = taking.user
    return Given(
        note=note,
        beside=properties,
        skill=row.get("skill", False),
        curated_key=curated_key_of(note, row.get("externalKey")) if row.get("curated") else None,
        external_key=_check_key(row, "externalKey") if note.external_id else None,
        request_key=_check_key(row, "idempotencyKey"),
        vector=_decode_vector(row.get("embedding"), embedder),
        mentions=mentions,
        called=called,
        relations=relations,
    )


def _build_note(row: Row, user: str, now: datetime) -> Note:
    visibility = Visibility(row["visibility"])
    draft = check_draft(
        NoteDraft(
            content=row["content"],
            external_id=row.get("externalId"),
            title=row.get("title"),
            importance=row["importance"],
            confidence=row["confidence"],
            domain=row["domain"],
            tags=tuple(row.get("tags", ())),
            keywords=tuple(row.get("keywords", ())),
            episode=row.get("episode"),
            speaker=row.get("speaker"),
            occurred_at=row.get("occurredAt"),
            valid_from=row.get("validFrom"),
            valid_to=row.get("validTo"),
            metadata=json.loads(row["metadata"]) if "metadata" in row else None,
        ),
        now,
    )
    author = row.get("author")
    external_id = draft.external_id
    if author is not None and names_file(external_id):
        external_id = None  # the name of a file that agents follow belongs to the user
    half_life = row.get("halfLifeHours")
    if half_life is not None and not 1.0 <= half_life <= LONGEST_HALF_LIFE:
        raise Invalid("halfLifeHours is out of range")
    accesses = tuple(row.get("accessTimes", ()))
    if row["version"] < 1 or len(accesses) > KEPT_ACCESSES:
        raise Invalid("version or accessTimes are out of range")
    assert draft.domain is not None
    return Note(
        id=row["id"],
        user=user,
        author=None if author is None else check_id(author, "author"),
        external_id=external_id,
        version=row["version"],
        content=draft.content,
        title=draft.title,
        context=row.get("context"),
        keywords=draft.keywords,
        tags=draft.tags,
        kind=Kind(row["kind"]),
        type=NoteType(row["type"]),
        source=Source(row["source"]),
        validity=Validity(row["validity"]),
        importance=row["importance"],
        confidence=row["confidence"],
        load_bearing=row.get("loadBearing", False),
        pinned=row.get("pinned", False),
        domain=draft.domain,
        visibility=visibility,
        tier=Tier(row["tier"]),
        status=Status(row["status"]),
        half_life_hours=half_life,
        access_count=row.get("accessCount", 0),
        accesses=accesses,
        created_at=row["createdAt"],
        updated_at=row["updatedAt"],
        occurred_at=draft.occurred_at,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        expires_at=row.get("expiresAt"),
        episode=draft.episode,
        speaker=draft.speaker,
        metadata=draft.metadata,
        held_because=row.get("quarantined"),
        held_from=next((each for each in Visibility if each == row.get("heldFrom")), None),
    )


def _mention_row(row: Row, note: Note, taking: ImportOwnership) -> MentionRow:
    key = _entity_key(row["key"])
    of = row.get("of")
    return MentionRow(
        note_id=note.id,
        key=key,
        name=check_name(row["name"], "name of a mention"),
        type=row["type"],
        cased=row.get("cased", True),
        keys=row.get("keys", [key]),
        names=row.get("names", [row["name"]]),
        count=row.get("count", 1),
        given=row.get("given", True),
        of=None if of is None else _own_entity_id(of, taking),
        of_text=row.get("ofText"),
        plain=row.get("plain"),
        within=[_own_entity_id(each, taking) for each in row["within"]]
        if "within" in row
        else None,
        at=row.get("at"),
    )


def _relation_row(row: Row, note: str) -> RelationRow:
    return RelationRow(
        note_id=note,
        subject_key=_entity_key(row["subject"]),
        predicate=check_name(row["predicate"], "predicate"),
        object_key=_entity_key(row["object"]),
        confidence=row.get("confidence"),
        valid_from=row.get("validFrom"),
        valid_to=row.get("validTo"),
        of_text=row.get("ofText"),
        created_at=row.get("createdAt"),
    )


def _called_row(row: Row, note: str, taking: ImportOwnership) -> CalledRow:
    key, other = _entity_key(row["key"]), _entity_key(row["other"])
    made = taking.user + note + key + "|" + other
    return CalledRow(
        id=row.get("id") or digest(made),
        note_id=note,
        key=key,
        other=other,
        of_text=row.get("ofText"),
        at=row.get("at"),
    )


def _entity_key(text: str) -> str:
    """Check the key of an entity, which is a name in the form in which names are compared."""
    key = check_name(text, "key of an entity")
    if name_key(key) != key:
        raise Invalid("the key of an entity must be a normalised name")
    return key


def _own_entity_id(entity: str, taking: ImportOwnership) -> str:
    """Return the id of an entity, made of its owner and its key."""
    owner, _, key = entity.partition(":")
    if owner != taking.source or not key:
        raise Invalid("it is about an entity of somebody else")
    return f"{taking.user}:{_entity_key(key)}"


def _check_key(row: Row, name: str) -> str | None:
    key = row.get(name)
    if key is not None and len(key) > 2 * MAX_KEY:
        raise Invalid(f"{name} is too long")
    return key


def _decode_vector(text: str | None, embedder: Embedder | None) -> tuple[float, ...] | None:
    if text is None or embedder is None:
        return None
    try:
        numbers = array("f", b64decode(text, validate=True))
    except ValueError as exc:
        raise Invalid("embedding can't be read") from exc
    length = sum(each * each for each in numbers)
    if len(numbers) != embedder.dimension or not 0.99 < length < 1.01:  # false for NaN, too
        raise Invalid("embedding is not a unit vector of the model's dimension")
    return tuple(numbers)
