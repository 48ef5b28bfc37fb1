"""The answers of the service, as frozen dataclasses. Additional fields of a newer service are left
out; the values of an enumeration are texts."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Note:
    """One piece of memory, with its present strength."""

    id: str
    external_id: str | None
    version: int
    content: str
    title: str | None
    context: str | None
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    kind: str
    type: str
    source: str
    validity: str
    importance: float
    confidence: float
    load_bearing: bool
    pinned: bool
    domain: str
    visibility: str
    tier: str
    status: str
    activation: float
    retention: float
    relevance: float
    half_life_hours: float | None
    access_count: int
    last_accessed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    episode: str | None
    speaker: str | None
    metadata: Any
    user_id: str
    author_id: str | None
    quarantined: str | None = None  # why no agent reads it before the user has looked
    language: str | None = None  # a primary tag (BCP 47); None where it is not sure


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of the path in the graph that led to a note."""

    relationship: str
    label: str
    note_id: str | None = None
    entity_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Passage:
    """The part of a long note that is nearest to a question, with the positions of its first
    character in the note's content and of the one after its last."""

    text: str
    from_: int
    to: int


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One note of an answer."""

    rank: int
    score: float
    note: Note
    via: tuple[Step, ...]
    why: Mapping[str, Any] | None
    superseded_by: str | None = None  # the hit that says otherwise and is newer
    passage: Passage | None = None  # only of a long note


@dataclass(frozen=True, kw_only=True)
class Recall:
    """An answer to a question, best first."""

    id: str
    hits: tuple[Hit, ...]
    strategy: str
    confidence: float
    took_ms: float


@dataclass(frozen=True, kw_only=True)
class ContextPackage:
    """A text for a prompt, and the hits that it was made of."""

    text: str
    hits: tuple[Hit, ...]
    token_count: int
    recall_id: str
    confidence: float
    suggested_scope: str
    suggested_domains: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A note that waits for a decision, or the decision on it."""

    id: str
    status: str
    content: str
    domain: str
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """The result of writing a note: `ADD`, `UPDATE`, `DELETE`, `NOOP` or `PROPOSE`, and why.
    `proposal` is set if somebody else decides whether it is written."""

    operation: str
    note: Note | None
    note_id: str | None
    affected: tuple[Note, ...]
    reason: str
    proposal: Proposal | None = None


@dataclass(frozen=True, kw_only=True)
class RememberFailure:
    """The reason why one note of many was not remembered."""

    code: str
    message: str
    path: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RememberResult:
    """The result for one note of many."""

    index: int
    operation: str | None
    note: Note | None
    note_id: str | None
    error: RememberFailure | None
    proposal: Proposal | None = None


@dataclass(frozen=True, kw_only=True)
class PageInfo:
    """The place of a page in its list."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class NotePage:
    """A page of a list of notes, newest first."""

    notes: tuple[Note, ...]
    page_info: PageInfo


@dataclass(frozen=True, kw_only=True)
class ForgetResult:
    """The notes that were, or would be, forgotten."""

    matches: tuple[Note, ...]
    forgotten: int
    permanent: bool
    needs_confirmation: bool


@dataclass(frozen=True, kw_only=True)
class Agent:
    """Software that acts for a user."""

    id: str
    user: str
    name: str
    role: str
    domains: tuple[str, ...]
    can_see_private: bool
    writes: str
    status: str
    current_task: str | None
    last_active_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Expert:
    """An agent that knows about a topic; no agent: the user in person. `note_ids` is the evidence
    that the caller may read."""

    user_id: str
    agent: Agent | None
    topic: str
    confidence: float
    last_active_at: datetime | None
    note_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RouteAdvice:
    """The agent that should do a task; none if nobody is known to know about it."""

    agent: Agent | None
    confidence: float
    reasoning: str
    relevant_note_count: int
    alternatives: tuple[Expert, ...]


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """The answer of those who share what they know, with every step to it."""

    steps: tuple[str, ...]
    expert: Expert | None
    hits: tuple[Hit, ...]
    answered: bool
    recall_id: str | None


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A person, a place, a project or another thing that notes are about."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    note_count: int
    as_of: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A version of a note: its text, who wrote it, and what else changed."""

    version: int
    at: datetime
    actor: str
    content: str
    changes: Any


@dataclass(frozen=True, kw_only=True)
class Stats:
    """Counts of readable notes; each breakdown adds up to the total."""

    total_notes: int
    by_domain: Mapping[str, int]
    by_visibility: Mapping[str, int]
    by_status: Mapping[str, int]
    by_tier: Mapping[str, int]
    by_activation: Mapping[str, int]
    storage_bytes: int
    entities: int
    links: int


@dataclass(frozen=True, kw_only=True)
class Status:
    """The state of the service: `ready` or `degraded`."""

    status: str
    neo4j: str
    memories: int | None


@dataclass(frozen=True, kw_only=True)
class Event:
    """One change."""

    id: str
    seq: int
    at: datetime
    type: str
    channel: str
    actor: str
    subject_id: str | None
    domain: str | None
    summary: str
    data: Any


def read(kind: type[T], value: Any) -> T:
    """Build a model from an answer in JSON."""
    return _parse_value(kind, value)


def _parse_value(kind: Any, value: Any) -> Any:
    if value is None or kind is Any:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _parse_value(next(each for each in inner if each is not NoneType), value)
    if origin is tuple:
        return tuple(_parse_value(inner[0], each) for each in value)
    if kind is datetime:
        return datetime.fromisoformat(value)
    if is_dataclass(kind) and isinstance(kind, type):
        given = {
            name: _parse_value(hint, value[wire])
            for name, wire, hint in _field_names(kind)
            if wire in value
        }
        return kind(**given)
    return value


@cache
def _field_names(kind: type) -> tuple[tuple[str, str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((f.name, wire_name(f.name), hints[f.name]) for f in fields(kind))


def wire_name(name: str) -> str:
    """Convert a Python name to the form that the service has."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
