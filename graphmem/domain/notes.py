"""Notes: their fields, the words for their kinds, and the limits of their fields."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property

from graphmem.domain.owners import Owner
from graphmem.domain.visibility import Audience, Section, Visibility, audience_of

MAX_CONTENT = 50_000  # characters
MAX_TITLE = 500
MAX_TAGS = 50
MAX_NAME = 1_000
MAX_ENTITIES = 100
MAX_RELATIONS = 100
MAX_BATCH = 500
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
    user: str  # the name of its owner (`Owner.name`)
    author: str | None  # agent id; None: the user in person
    external_id: str | None
    version: int
    content: str
    title: str | None
    context: str | None
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    kind: Kind
    type: NoteType
    source: Source
    validity: Validity
    importance: float
    confidence: float
    load_bearing: bool
    pinned: bool
    domain: str
    visibility: Visibility
    section: Section | None = None  # of the commons; None: the note belongs to a user
    tier: Tier
    status: Status
    half_life_hours: float | None  # None: never decays
    access_count: int
    accesses: tuple[datetime, ...]  # the newest, at most 20
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    episode: str | None
    speaker: str | None
    metadata: object

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

    @property
    def last_accessed_at(self) -> datetime | None:
        """The newest access, None before the first."""
        return max(self.accesses, default=None)


@dataclass(frozen=True, kw_only=True)
class EntityDraft:
    """An entity that a writer names, or that is found in a text."""

    name: str
    type: str | None = None
    aliases: tuple[str, ...] = ()
    of_text: bool = field(default=False, repr=False, compare=False)  # the writer did not name it


@dataclass(frozen=True, kw_only=True)
class RelationDraft:
    """A relation between two entities that a writer names, or that a text states."""

    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    of_text: bool = field(default=False, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class NoteDraft:
    """A new note as given by a writer; None for what was not given. Checked by `drafts`."""

    content: str
    external_id: str | None = None
    title: str | None = None
    importance: float | None = None
    confidence: float | None = None
    domain: str | None = None
    visibility: Visibility | None = None
    kind: Kind | None = None
    type: NoteType | None = None
    source: Source | None = None
    validity: Validity | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    entities: tuple[EntityDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    episode: str | None = None
    speaker: str | None = None
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    ttl_seconds: int | None = None
    pinned: bool = False
    load_bearing: bool = False
    metadata: object = None
    session_id: str | None = None
    idempotency_key: str | None = None
    # Owner of the external id: "" the user in person, None: the writer. Not part of a request.
    external_owner: str | None = field(default=None, repr=False)
    foundational: bool = False  # from a file of T0; not part of a request, either


@dataclass(frozen=True, kw_only=True)
class NoteFilter:
    """The restrictions on readable notes; None or empty: no restriction."""

    domain: str | None = None
    tags: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    types: tuple[NoteType, ...] = ()
    tiers: tuple[Tier, ...] = ()
    statuses: tuple[Status, ...] = ()
    visibilities: tuple[Visibility, ...] = ()
    entity: str | None = None
    author: str | None = None
    episode: str | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def needs_scan(self) -> bool:
        """True if it restricts by something that the vector index can't filter."""
        return bool(self.tags or self.entity or self.author or self.episode or self.text)


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
