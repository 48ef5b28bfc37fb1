"""Notes: their fields, the words for their kinds, and the limits of their fields."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from graphmem.domain.fields import (
    INTERNAL,
    NOT_ASKED,
    NOT_SHOWN,
    AtMost,
    Domain,
    Implied,
    Input,
    Json,
    Name,
    shown_as,
    shown_property,
)
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import Audience, Section, Visibility, audience_of

MAX_CONTENT = 50_000  # characters
MAX_TITLE = 500
MAX_TAGS = 50
MAX_NAME = 1_000
MAX_ENTITIES = 100
MAX_RELATIONS = 100
MAX_BATCH = 500
MAX_LIST = 500  # entries of a list in a filter
MAX_METADATA = 20_000  # characters of JSON
FOUND_WITH = "foundWith"  # metadata key of a note found with somebody else
BEGINNING = datetime(1, 1, 2, tzinfo=UTC)  # stands in the graph for "no start"
NEVER = datetime(9999, 12, 30, tzinfo=UTC)  # stands in the graph for "no end"


class Kind(StrEnum):
    """The memory store of a note."""

    EPISODIC = "EPISODIC"
    SEMANTIC = "SEMANTIC"
    PROCEDURAL = "PROCEDURAL"


class NoteType(StrEnum):
    """The type of a note's statement."""

    FACT = "FACT"
    PREFERENCE = "PREFERENCE"
    DECISION = "DECISION"
    TASK = "TASK"
    EVENT = "EVENT"
    EMOTION = "EMOTION"
    CORRECTION = "CORRECTION"


class Source(StrEnum):
    """The origin of a note."""

    EXPERIENCE = "EXPERIENCE"
    TOLD = "TOLD"
    INFERRED = "INFERRED"


class Validity(StrEnum):
    """The certainty of a note; this order is the priority when two compete."""

    CONFIRMED = "CONFIRMED"
    ASSERTED = "ASSERTED"
    INFERRED = "INFERRED"
    DEPRECATED = "DEPRECATED"


class Tier(StrEnum):
    """The tier, T0 to T4, by age and recalls."""

    FOUNDATIONAL = "FOUNDATIONAL"
    WORKING = "WORKING"
    DAILY = "DAILY"
    SHORT_TERM = "SHORT_TERM"
    LONG_TERM = "LONG_TERM"


class Status(StrEnum):
    """The status by strength; SUPERSEDED when another note took its place."""

    ACTIVE = "ACTIVE"
    FADING = "FADING"
    DORMANT = "DORMANT"
    ARCHIVED = "ARCHIVED"
    SUPERSEDED = "SUPERSEDED"


class WriteMode(StrEnum):
    """The way a note is written.

    CURATED: the whole pipeline; VERBATIM: stored as said, never merged."""

    CURATED = "CURATED"
    VERBATIM = "VERBATIM"


class Operation(StrEnum):
    """The result of a remember."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"
    PROPOSE = "PROPOSE"


@dataclass(frozen=True, kw_only=True)
class Note:
    """One piece of memory, as a viewer that may read it sees it. Instants are aware, in UTC."""

    id: str
    user: str = field(metadata=shown_as("user_id"))
    """the name of its owner (`Owner.name`)"""
    author: str | None = field(metadata=shown_as("author_id"))
    """the agent that wrote it; null: the user in person"""
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
    keywords: tuple[str, ...]
    """three to seven words that stand out"""
    tags: tuple[str, ...]
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
    section: Section | None = field(default=None, metadata=NOT_SHOWN)
    """of the commons; None: the note belongs to a user"""
    tier: Tier
    """how long it is meant to last"""
    status: Status
    """how alive it is"""
    half_life_hours: float | None
    """hours without use that halve its retention; null: it never decays"""
    access_count: int
    """how often it was used"""
    accesses: tuple[datetime, ...] = field(metadata=NOT_SHOWN)
    """the newest, at most 20"""
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
    metadata: object
    """what its writer added, as JSON"""
    held_because: str | None = field(default=None, metadata=NOT_SHOWN)
    """why no agent may read it until the user has looked"""
    held_from: Visibility | None = field(default=None, metadata=NOT_SHOWN)
    """of a note in quarantine: its visibility without that"""

    @shown_property
    def quarantined(self) -> str | None:
        """Why it seems to instruct agents, so that none reads it before the user has looked (see
        `releaseNote`); null for other notes."""
        return self.held_because if self.visibility is Visibility.QUARANTINED else None

    @cached_property
    def audience(self) -> Audience:
        """The readers of the note."""
        if self.section is not None:
            owner = Owner.named(self.user)
            return Audience(owner=owner, section=self.section, domain=self.domain)
        return audience_of(self.user, self.visibility, self.domain, self.author)

    @property
    def reading_text(self) -> str:
        """The text that is embedded: date, speaker, title and content."""
        date = f"({self.occurred_at:%d %B %Y}) " if self.occurred_at and self.speaker else ""
        speaker = f"{self.speaker}: " if self.speaker else ""
        title = f"{self.title}\n" if self.title else ""
        return f"{title}{date}{speaker}{self.content}"

    @shown_property
    def last_accessed_at(self) -> datetime | None:
        """The time of its last use; null before the first."""
        return max(self.accesses, default=None)


@dataclass(frozen=True, kw_only=True)
class EntityDraft:
    """A thing that a note is about, as its writer names it or as it is found in a text."""

    name: str
    """its name"""
    type: str | None = None
    """such as `person`, `organisation`, `place` or `project`"""
    aliases: tuple[str, ...] = ()
    """other names of it"""
    of_text: bool = field(default=False, repr=False, compare=False, metadata=NOT_ASKED)
    """whether it was found in the text, not named by the writer"""


@dataclass(frozen=True, kw_only=True)
class RelationDraft:
    """A statement about two things, as the writer of a note gives it or as a text says it."""

    subject: str
    """a thing, by its name"""
    predicate: str
    """such as `works at`"""
    object: str
    """another thing, by its name"""
    confidence: Implied = 1.0
    """from 0 to 1; 1 if left out"""
    valid_from: datetime | None = None
    """from when on it is true"""
    valid_to: datetime | None = None
    """until when it is true"""
    of_text: bool = field(default=False, repr=False, compare=False, metadata=NOT_ASKED)
    """whether it was found in the text, not given by the writer"""


@dataclass(frozen=True, kw_only=True)
class NoteDraft(Input):
    """A new note as given by a writer; None for what was not given. Checked by `drafts`."""

    content: str
    """the text, at most 50,000 characters"""
    external_id: str | None = None
    """your own id of the note"""
    title: str | None = None
    """a short title, or the name of what it is about"""
    importance: float | None = None
    """from 0 to 1; judged by rules if left out"""
    confidence: float | None = None
    """from 0 to 1"""
    domain: Domain | None = None
    """a path such as `business/sales`; found by rules if left out"""
    visibility: Visibility | None = None
    """how far it is open to the user's agents; chosen by rules if left out"""
    kind: Kind | None = None
    """which store of memory it belongs to"""
    type: NoteType | None = None
    """what kind of statement it is"""
    source: Source | None = None
    """where it comes from"""
    validity: Validity | None = None
    """how sure it is"""
    tags: tuple[str, ...] = ()
    """tags; made by rules if left out"""
    keywords: tuple[str, ...] = ()
    """keywords; made by rules if left out"""
    entities: tuple[EntityDraft, ...] = ()
    """what it is about, besides what rules find"""
    relations: tuple[RelationDraft, ...] = ()
    """what it says of two things, besides what rules find"""
    episode: str | None = None
    """the conversation or day that it belongs to; its notes form a chain"""
    speaker: str | None = None
    """who said it"""
    occurred_at: datetime | None = None
    """when it happened"""
    valid_from: datetime | None = None
    """from when on it is true"""
    valid_to: datetime | None = None
    """until when it is true"""
    expires_at: datetime | None = None
    """from when on it is no longer returned"""
    ttl_seconds: int | None = None
    """the same as seconds from now on"""
    pinned: bool | None = None
    """whether it never decays"""
    load_bearing: bool | None = None
    """whether other things depend on it"""
    metadata: Json | None = None
    """anything of yours, as JSON"""
    session_id: Name | None = None
    """an open session of the agent: kept in its local memory until the session closes"""
    idempotency_key: str | None = None
    """a key of yours: a write that is repeated with it is done once"""
    external_owner: str | None = field(default=None, repr=False, metadata=INTERNAL)
    """owner of the external id: "" the user in person, None: the writer"""
    foundational: bool = field(default=False, metadata=INTERNAL)
    """from a file of T0"""


@dataclass(frozen=True, kw_only=True)
class NoteFilter(Input):
    """A filter of notes; None or empty: no restriction."""

    domain: Domain | None = None
    """in this domain or below it"""
    tags: Annotated[tuple[str, ...], AtMost(MAX_LIST)] = ()
    """with all of these tags"""
    kinds: Annotated[tuple[Kind, ...], AtMost(MAX_LIST)] = ()
    """of these kinds"""
    types: Annotated[tuple[NoteType, ...], AtMost(MAX_LIST)] = ()
    """of these types"""
    tiers: Annotated[tuple[Tier, ...], AtMost(MAX_LIST)] = ()
    """of these tiers"""
    statuses: Annotated[tuple[Status, ...], AtMost(MAX_LIST)] = ()
    """of these statuses"""
    visibilities: Annotated[tuple[Visibility, ...], AtMost(MAX_LIST)] = ()
    """of these visibilities"""
    entity: str | None = None
    """that mention this entity, by name or id"""
    author: Name | None = None
    """written by this agent"""
    episode: str | None = None
    """of this episode"""
    external_prefix: str | None = None
    """whose externalId begins with this, such as the folder that they were imported from"""
    text: str | None = None
    """with these words"""
    since: datetime | None = None
    """that happened (or, without a time, were written) from this instant on"""
    until: datetime | None = None
    """that happened (or, without a time, were written) up to this instant"""

    @property
    def needs_scan(self) -> bool:
        """True if it restricts by something that the vector index can't filter."""
        return any(
            (self.tags, self.entity, self.author, self.episode, self.external_prefix, self.text)
        )


@dataclass(frozen=True, kw_only=True)
class Link:
    """A typed connection between two notes, read the same from both ends."""

    id: str
    kind: str
    strength: float
    reason: str | None
    source: str  # note id
    target: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Wording:
    """One wording of what a note says; a note can have several."""

    at: datetime
    actor: str
    content: str
    speaker: str | None
    occurred_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Revision:
    """An earlier or current state of a note's text."""

    version: int
    at: datetime
    actor: str
    content: str
    changes: dict[str, object] = field(default_factory=dict)
