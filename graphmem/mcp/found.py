"""The answers of the reading tools of `memory`."""

from dataclasses import dataclass, field
from datetime import datetime

from graphmem.mcp.shown import OfMemory, ShownNote


@dataclass(frozen=True, kw_only=True)
class FoundNotes(OfMemory):
    """Notes, best or newest first. `recall_id` is for memory.feedback."""

    results: tuple[ShownNote, ...]
    next_cursor: str | None = None
    recall_id: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, kw_only=True)
class FormerVersion:
    """A former version of a note."""

    version: int
    at: datetime
    by: str


@dataclass(frozen=True, kw_only=True)
class WholeNote(OfMemory):
    """A note with all of its text, or the part of it from a cursor on."""

    note: ShownNote
    version: int
    kind: str
    type: str
    validity: str
    status: str
    pinned: bool
    tags: tuple[str, ...]
    updated_at: datetime
    revisions: tuple[FormerVersion, ...]
    session_id: str | None = None  # the session of an agent in which it was written
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class TaskContext(OfMemory):
    """A text that is ready for a prompt, and what it was made of."""

    relevant_memories: str
    suggested_scope: str
    suggested_domains: tuple[str, ...]
    token_count: int
    confidence: float
    recall_id: str
    note_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CoreText(OfMemory):
    """The core memory of the user."""

    text: str
    token_count: int
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class ShownRelation:
    """A statement of notes about two entities."""

    subject: str
    predicate: str
    object: str
    confidence: float


@dataclass(frozen=True, kw_only=True)
class AboutEntity(OfMemory):
    """An entity with its newest notes."""

    entity_id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    note_count: int
    relations: tuple[ShownRelation, ...]
    notes: tuple[ShownNote, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Counts of notes; each breakdown adds up to the total."""

    total_memories: int
    by_domain: dict[str, int]
    by_activation_range: dict[str, int]
    by_visibility: dict[str, int]
    storage_bytes: int


@dataclass(frozen=True, kw_only=True)
class Happened:
    """One change. For a note that may be read: its version after it, and the text of that."""

    at: datetime
    type: str
    by: str
    summary: str
    note_id: str | None = None
    version: int | None = None
    content: str | None = None
    truncated: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class History(OfMemory):
    """Changes, oldest first."""

    events: tuple[Happened, ...] = field(default_factory=tuple)
    next_cursor: str | None = None
