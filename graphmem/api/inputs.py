"""The input types of the API and what they become in the domain."""

from datetime import datetime
from typing import Any, TypeVar

import strawberry
from strawberry import UNSET

from graphmem.api.enums import (
    Kind,
    NoteType,
    RankingProfile,
    Scope,
    Source,
    Status,
    Tier,
    Validity,
    Visibility,
    WriteMode,
)
from graphmem.api.scalars import JSON
from graphmem.domain import notes
from graphmem.errors import Invalid
from graphmem.services.recall import Profile, Question

T = TypeVar("T")
MAX_LIST = 500


def given(value: T | None) -> T | None:
    """What was given; None for what was left out, and for an explicit null."""
    return None if value is UNSET else value


def listed(values: list[T] | None) -> tuple[T, ...]:
    """A list as a tuple. Raises Invalid over 500 entries."""
    kept = given(values) or ()
    if len(kept) > MAX_LIST:
        raise Invalid(f"a list has at most {MAX_LIST} entries")
    return tuple(kept)


def or_default(value: T | None, default: T) -> T:
    """An explicit null means the default."""
    return default if value is None or value is UNSET else value


@strawberry.input
class EntityInput:
    """A thing that a note is about."""

    name: str
    type: str | None = UNSET
    aliases: list[str] | None = UNSET


@strawberry.input
class RelationInput:
    """What a note says of two things."""

    subject: str
    predicate: str
    object: str
    confidence: float | None = UNSET
    valid_from: datetime | None = UNSET
    valid_to: datetime | None = UNSET


@strawberry.input
class RememberInput:
    """A note to remember. Its `externalId` and `idempotencyKey` are the writer's own, unique for
    the user in person and for each agent: the same id by two writers is two notes."""

    content: str
    external_id: str | None = UNSET
    title: str | None = UNSET
    importance: float | None = UNSET
    confidence: float | None = UNSET
    domain: str | None = UNSET
    visibility: Visibility | None = UNSET
    kind: Kind | None = UNSET
    type: NoteType | None = UNSET
    source: Source | None = UNSET
    validity: Validity | None = UNSET
    tags: list[str] | None = UNSET
    keywords: list[str] | None = UNSET
    entities: list[EntityInput] | None = UNSET
    relations: list[RelationInput] | None = UNSET
    episode: str | None = UNSET
    speaker: str | None = UNSET
    occurred_at: datetime | None = UNSET
    valid_from: datetime | None = UNSET
    valid_to: datetime | None = UNSET
    expires_at: datetime | None = UNSET
    ttl_seconds: int | None = UNSET
    pinned: bool | None = UNSET
    load_bearing: bool | None = UNSET
    metadata: JSON | None = UNSET
    session_id: strawberry.ID | None = UNSET
    mode: WriteMode | None = UNSET
    idempotency_key: str | None = UNSET


@strawberry.input
class RememberManyInput:
    """Up to 500 notes."""

    notes: list[RememberInput]
    mode: WriteMode | None = WriteMode.CURATED


@strawberry.input
class NoteFilter:
    """Which notes are meant."""

    domain: str | None = UNSET
    tags: list[str] | None = UNSET
    kinds: list[Kind] | None = UNSET
    types: list[NoteType] | None = UNSET
    tiers: list[Tier] | None = UNSET
    statuses: list[Status] | None = UNSET
    visibilities: list[Visibility] | None = UNSET
    entity: str | None = UNSET
    author: strawberry.ID | None = UNSET
    episode: str | None = UNSET
    text: str | None = UNSET
    since: datetime | None = UNSET
    until: datetime | None = UNSET


@strawberry.input
class RecallInput:
    """A question."""

    query: str
    k: int | None = 10
    scope: Scope | None = Scope.USER
    profile: RankingProfile | None = RankingProfile.BALANCED
    filter: NoteFilter | None = UNSET
    hops: int | None = 2
    deep: bool | None = False
    explicit: bool | None = False
    as_of: datetime | None = UNSET
    min_score: float | None = UNSET
    explain: bool | None = False
    random_seed: int | None = UNSET
    session_id: strawberry.ID | None = UNSET
    track: bool | None = True


@strawberry.input
class ContextInput:
    """A task that needs a context package."""

    task: str
    token_budget: int | None = 1700
    scope: Scope | None = Scope.USER
    profile: RankingProfile | None = RankingProfile.BALANCED


def draft_of(value: RememberInput) -> notes.NoteDraft:
    """What a writer gives for a note."""
    plain = (
        "external_id title importance confidence domain visibility kind type source validity "
        "episode speaker occurred_at valid_from valid_to expires_at ttl_seconds metadata "
        "session_id idempotency_key"
    ).split()
    fields: dict[str, Any] = {name: given(getattr(value, name)) for name in plain}
    return notes.NoteDraft(
        content=value.content,
        tags=tuple(given(value.tags) or ()),
        keywords=tuple(given(value.keywords) or ()),
        entities=tuple(
            notes.EntityDraft(
                name=entity.name,
                type=given(entity.type),
                aliases=tuple(given(entity.aliases) or ()),
            )
            for entity in given(value.entities) or ()
        ),
        relations=tuple(_relation(relation) for relation in given(value.relations) or ()),
        pinned=or_default(value.pinned, False),
        load_bearing=or_default(value.load_bearing, False),
        **fields,
    )


def _relation(value: RelationInput) -> notes.RelationDraft:
    return notes.RelationDraft(
        subject=value.subject,
        predicate=value.predicate,
        object=value.object,
        confidence=or_default(value.confidence, 1.0),
        valid_from=given(value.valid_from),
        valid_to=given(value.valid_to),
    )


def filter_of(value: NoteFilter | None) -> notes.NoteFilter:
    """A filter."""
    value = given(value)
    if value is None:
        return notes.NoteFilter()
    return notes.NoteFilter(
        domain=given(value.domain),
        tags=listed(value.tags),
        kinds=listed(value.kinds),
        types=listed(value.types),
        tiers=listed(value.tiers),
        statuses=listed(value.statuses),
        visibilities=listed(value.visibilities),
        entity=given(value.entity),
        author=given(value.author),
        episode=given(value.episode),
        text=given(value.text),
        since=given(value.since),
        until=given(value.until),
    )


def profile_of(value: RankingProfile | None) -> Profile:
    """A profile."""
    return Profile(or_default(value, RankingProfile.BALANCED).value)


def question_of(value: RecallInput) -> Question:
    """A question."""
    if given(value.session_id) is not None:
        raise Invalid("no such session")
    return Question(
        query=value.query,
        k=or_default(value.k, 10),
        profile=profile_of(value.profile),
        filter=filter_of(value.filter),
        hops=or_default(value.hops, 2),
        deep=or_default(value.deep, False),
        explicit=or_default(value.explicit, False),
        as_of=given(value.as_of),
        min_score=given(value.min_score),
        random_seed=given(value.random_seed),
        track=or_default(value.track, True),
    )
