"""Checks what a writer gives for a note; every failure is an Invalid that names the field."""

import json
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graphmem.domain.ids import check_domain, check_id, name_key
from graphmem.domain.notes import (
    BEGINNING,
    MAX_CONTENT,
    MAX_ENTITIES,
    MAX_METADATA,
    MAX_NAME,
    MAX_RELATIONS,
    MAX_TAGS,
    MAX_TITLE,
    NEVER,
    EntityDraft,
    NoteDraft,
    RelationDraft,
)
from graphmem.domain.predicates import in_one_direction
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid

MAX_TTL_SECONDS = 100 * 365 * 86_400
MAX_KEYWORDS = 50
MAX_ALIASES = 20
MAX_NAME_KEY = 6_000  # bytes; Neo4j's indexes take about 8,000 with the user's id
MAX_KEY = 255  # for external ids, idempotency keys, episodes and speakers


def check_text(text: str, what: str, longest: int, *, empty: bool = False) -> str:
    """Return `text` in NFC, without NUL bytes or lone surrogates, at most `longest` characters."""
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise Invalid(f"{what} holds a NUL byte or a lone surrogate")
    if not empty and not text.strip():
        raise Invalid(f"{what} is empty")
    if len(text) > longest:
        raise Invalid(f"{what} is longer than {longest} characters")
    return unicodedata.normalize("NFC", text)


def check_name(text: str, what: str, longest: int = MAX_NAME) -> str:
    """Return `text` as `check_text` does, if its comparison key is not too long.

    Some letters stand for up to 18 others."""
    text = check_text(text, what, longest)
    if not text.isascii() and len(name_key(text).encode()) > MAX_NAME_KEY:
        raise Invalid(f"{what} is too long once its letters are written out")
    return text


def check_choice(visibility: Visibility) -> Visibility:
    """Return a visibility that a writer may choose for a note. Raises Invalid for LOCAL and
    QUARANTINED."""
    if visibility is Visibility.LOCAL:
        raise Invalid("LOCAL is for notes of an open session: give its sessionId instead")
    if visibility is Visibility.QUARANTINED:
        raise Invalid("QUARANTINED is for texts that seem to instruct agents; nobody can choose it")
    return visibility


def check_share(value: float | None, what: str) -> float | None:
    """Return a number from 0 to 1."""
    if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
        raise Invalid(f"{what} must be a number from 0 to 1")
    return value


def check_instant(value: datetime | None, what: str) -> datetime | None:
    """Return an instant in UTC, to the millisecond, that the graph can hold."""
    if value is None:
        return None
    try:
        value = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as exc:
        raise Invalid(f"{what} is out of range") from exc
    if not BEGINNING < value < NEVER:
        raise Invalid(f"{what} is out of range")
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


def check_tags(tags: Sequence[str], what: str = "tags", most: int = MAX_TAGS) -> tuple[str, ...]:
    """Return distinct non-empty words in the given order; a tag may become the title of a topic."""
    if len(tags) > most:
        raise Invalid(f"{what}: at most {most}")
    return tuple(dict.fromkeys(check_name(tag, what).strip() for tag in tags))


def check_draft(draft: NoteDraft, now: datetime) -> NoteDraft:
    """Return the draft in normal form, with ttl turned into an instant.

    Raises Invalid; changes nothing."""
    if draft.visibility is not None:
        check_choice(draft.visibility)
    valid_from = check_instant(draft.valid_from, "validFrom")
    valid_to = check_instant(draft.valid_to, "validTo")
    if valid_from and valid_to and valid_to < valid_from:
        raise Invalid("validTo is before validFrom")
    return replace(
        draft,
        content=check_text(draft.content, "content", MAX_CONTENT),
        title=None if draft.title is None else check_name(draft.title, "title", MAX_TITLE),
        external_id=_check_optional(draft.external_id, "externalId", MAX_KEY),
        idempotency_key=_check_optional(draft.idempotency_key, "idempotencyKey", MAX_KEY),
        episode=_check_optional(draft.episode, "episode", MAX_KEY),
        speaker=_check_optional(draft.speaker, "speaker", MAX_KEY),
        importance=check_share(draft.importance, "importance"),
        confidence=check_share(draft.confidence, "confidence"),
        domain=None if draft.domain is None else check_domain(draft.domain),
        tags=check_tags(draft.tags),
        keywords=check_tags(draft.keywords, "keywords", MAX_KEYWORDS),
        entities=tuple(_check_entity(entity) for entity in _check_counts(draft)),
        relations=tuple(_check_relation(relation) for relation in draft.relations),
        occurred_at=check_instant(draft.occurred_at, "occurredAt"),
        valid_from=valid_from,
        valid_to=valid_to,
        expires_at=_check_expiry(draft, now),
        ttl_seconds=None,
        metadata=_check_metadata(draft.metadata),
        session_id=None if draft.session_id is None else check_id(draft.session_id, "sessionId"),
    )


def _check_optional(text: str | None, what: str, longest: int) -> str | None:
    return None if text is None else check_text(text, what, longest)


def _check_counts(draft: NoteDraft) -> tuple[EntityDraft, ...]:
    if len(draft.entities) > MAX_ENTITIES:
        raise Invalid(f"entities: at most {MAX_ENTITIES}")
    if len(draft.relations) > MAX_RELATIONS:
        raise Invalid(f"relations: at most {MAX_RELATIONS}")
    return draft.entities


def _check_entity(entity: EntityDraft) -> EntityDraft:
    return EntityDraft(
        name=check_name(entity.name, "entity name").strip(),
        type=_check_optional(entity.type, "entity type", MAX_NAME),
        aliases=tuple(
            check_name(alias, "aliases")
            for alias in check_tags(entity.aliases, "aliases", MAX_ALIASES)
        ),
    )


def _check_relation(relation: RelationDraft) -> RelationDraft:
    confidence = check_share(relation.confidence, "confidence of a relation")
    subject, predicate, target = in_one_direction(
        check_name(relation.subject, "subject").strip(),
        check_text(relation.predicate, "predicate", MAX_NAME).strip(),
        check_name(relation.object, "object").strip(),
    )
    return RelationDraft(
        subject=subject,
        predicate=predicate,
        object=target,
        confidence=1.0 if confidence is None else confidence,
        valid_from=check_instant(relation.valid_from, "validFrom of a relation"),
        valid_to=check_instant(relation.valid_to, "validTo of a relation"),
    )


def _check_expiry(draft: NoteDraft, now: datetime) -> datetime | None:
    if draft.ttl_seconds is None:
        expires_at = check_instant(draft.expires_at, "expiresAt")
        if expires_at is not None and expires_at <= now:
            raise Invalid("expiresAt is in the past")
        return expires_at
    if draft.expires_at is not None:
        raise Invalid("give ttlSeconds or expiresAt, not both")
    if not 1 <= draft.ttl_seconds <= MAX_TTL_SECONDS:
        raise Invalid(f"ttlSeconds must be from 1 to {MAX_TTL_SECONDS}")
    return now + timedelta(seconds=draft.ttl_seconds)


def _check_metadata(value: object) -> object:
    try:
        size = len(json.dumps(value, allow_nan=False))
    except (ValueError, TypeError, RecursionError) as exc:
        raise Invalid("metadata is not JSON") from exc
    if size > MAX_METADATA:
        raise Invalid(f"metadata is longer than {MAX_METADATA} characters of JSON")
    return value
