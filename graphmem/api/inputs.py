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
from graphmem.domain.profiles.parameters import Profile
from graphmem.errors import Invalid
from graphmem.services.recall.question import Question

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
    """its name"""
    type: str | None = UNSET
    """such as `person`, `organisation`, `place` or `project`"""
    aliases: list[str] | None = UNSET
    """other names of it"""


@strawberry.input
class RelationInput:
    """What a note says of two things."""

    subject: str
    """a thing, by its name"""
    predicate: str
    """such as `works at`"""
    object: str
    """another thing, by its name"""
    confidence: float | None = UNSET
    """from 0 to 1; 1 if left out"""
    valid_from: datetime | None = UNSET
    """from when on it is true"""
    valid_to: datetime | None = UNSET
    """until when it is true"""


@strawberry.input
class RememberInput:
    """A note to remember. Its `externalId` and `idempotencyKey` are the writer's own, unique for
    the user in person and for each agent: the same id by two writers is two notes."""

    content: str
    """the text, at most 50,000 characters"""
    external_id: str | None = UNSET
    """your own id of the note"""
    title: str | None = UNSET
    """a short title, or the name of what it is about"""
    importance: float | None = UNSET
    """from 0 to 1; judged by rules if left out"""
    confidence: float | None = UNSET
    """from 0 to 1"""
    domain: str | None = UNSET
    """a path such as `business/sales`; found by rules if left out"""
    visibility: Visibility | None = UNSET
    """how far it is open to the user's agents; chosen by rules if left out"""
    kind: Kind | None = UNSET
    """which store of memory it belongs to"""
    type: NoteType | None = UNSET
    """what kind of statement it is"""
    source: Source | None = UNSET
    """where it comes from"""
    validity: Validity | None = UNSET
    """how sure it is"""
    tags: list[str] | None = UNSET
    """tags; made by rules if left out"""
    keywords: list[str] | None = UNSET
    """keywords; made by rules if left out"""
    entities: list[EntityInput] | None = UNSET
    """what it is about, beside what rules find"""
    relations: list[RelationInput] | None = UNSET
    """what it says of two things, beside what rules find"""
    episode: str | None = UNSET
    """the conversation or day that it belongs to; its notes form a chain"""
    speaker: str | None = UNSET
    """who said it"""
    occurred_at: datetime | None = UNSET
    """when it happened"""
    valid_from: datetime | None = UNSET
    """from when on it is true"""
    valid_to: datetime | None = UNSET
    """until when it is true"""
    expires_at: datetime | None = UNSET
    """from when on it is no longer returned"""
    ttl_seconds: int | None = UNSET
    """the same as seconds from now on"""
    pinned: bool | None = UNSET
    """whether it never decays"""
    load_bearing: bool | None = UNSET
    """whether other things depend on it"""
    metadata: JSON | None = UNSET
    """anything of yours, as JSON"""
    session_id: strawberry.ID | None = UNSET
    """sessions are not built yet"""
    mode: WriteMode | None = UNSET
    """that of `rememberMany` if left out, else `CURATED`"""
    idempotency_key: str | None = UNSET
    """a key of yours: a write that is repeated with it is done once"""


@strawberry.input
class RememberManyInput:
    """Up to 500 notes."""

    notes: list[RememberInput]
    """the notes, in their order"""
    mode: WriteMode | None = WriteMode.CURATED
    """the mode of all of them"""


@strawberry.input
class NoteFilter:
    """Which notes are meant."""

    domain: str | None = UNSET
    """in this domain or below it"""
    tags: list[str] | None = UNSET
    """with all of these tags"""
    kinds: list[Kind] | None = UNSET
    """of these kinds"""
    types: list[NoteType] | None = UNSET
    """of these types"""
    tiers: list[Tier] | None = UNSET
    """of these tiers"""
    statuses: list[Status] | None = UNSET
    """of these statuses"""
    visibilities: list[Visibility] | None = UNSET
    """of these visibilities"""
    entity: str | None = UNSET
    """that mention this entity, by name or id"""
    author: strawberry.ID | None = UNSET
    """written by this agent"""
    episode: str | None = UNSET
    """of this episode"""
    text: str | None = UNSET
    """with these words"""
    since: datetime | None = UNSET
    """that happened (or, without a time, were written) from this instant on"""
    until: datetime | None = UNSET
    """that happened (or, without a time, were written) up to this instant"""


@strawberry.input
class RecallInput:
    """A question."""

    query: str
    """the question, in plain words"""
    k: int | None = 10
    """how many hits at most; up to 100"""
    scope: Scope | None = Scope.USER
    """how far to look"""
    profile: RankingProfile | None = RankingProfile.BALANCED
    """how to rank"""
    filter: NoteFilter | None = UNSET
    """only among these notes"""
    hops: int | None = 2
    """how many steps to follow the graph; up to 3"""
    deep: bool | None = False
    """also among what is dormant, archived or long-term"""
    explicit: bool | None = False
    """also among what is `USER_ONLY`, for who may read it"""
    as_of: datetime | None = UNSET
    """as it was at this instant"""
    min_score: float | None = UNSET
    """no hit with a lower score"""
    explain: bool | None = False
    """tell in `why` what made each score"""
    random_seed: int | None = UNSET
    """`ACT_R`: draw the same noise each time"""
    session_id: strawberry.ID | None = UNSET
    """sessions are not built yet"""
    track: bool | None = True
    """count it as a use of the notes"""


@strawberry.input
class ContextInput:
    """A task that needs a context package."""

    task: str
    """what is to be done, in plain words"""
    token_budget: int | None = 1700
    """tokens of the notes, beside core memory"""
    scope: Scope | None = Scope.USER
    """how far to look"""
    profile: RankingProfile | None = RankingProfile.BALANCED
    """how to rank"""


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
