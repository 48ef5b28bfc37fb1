"""The answers of queries and mutations other than the objects themselves."""

from datetime import datetime

import strawberry

from graphmem.api.actors import Agent, User, VisibilityRule
from graphmem.api.commons_types import Proposal
from graphmem.api.context import Info
from graphmem.api.enums import NodeKind, OperationKind, Scope
from graphmem.api.scalars import JSON, Long
from graphmem.api.types import Note
from graphmem.domain.notes import NoteFilter
from graphmem.operations.related import count_notes

MAX_INT = 2**31 - 1  # of an Int


@strawberry.type
class RememberPayload:
    """The result of writing a note; `note` is null when it was proposed, and when a write is
    repeated and the viewer may not read the note any more."""

    operation: OperationKind
    note: Note | None
    note_id: strawberry.ID | None
    proposal: Proposal | None
    affected: list[Note]
    reason: str


@strawberry.type
class PreviewEntity:
    """A thing that a text, or its writer, names."""

    name: str
    type: str | None
    of_text: bool


@strawberry.type
class PreviewRelation:
    """A statement of a text, or of its writer, about two things."""

    subject: str
    predicate: str
    object: str
    valid_from: datetime | None
    valid_to: datetime | None
    of_text: bool


@strawberry.type
class Preview:
    """The outcome that a write would have: `read` is the note as it would be by
    itself, `note` the one that would come of it, `affected` those that would change with it. Until
    it is written, a new note's id belongs to nothing. An agent that may not read what it would
    write gets no `read`."""

    operation: OperationKind
    reason: str
    read: Note | None
    entities: list[PreviewEntity]
    relations: list[PreviewRelation]
    note: Note | None
    affected: list[Note]


@strawberry.type
class UserError:
    """The reason why one note of many was not remembered."""

    code: str
    message: str
    path: list[str] | None


@strawberry.type
class RememberResult:
    """The result for one note of many."""

    index: int
    operation: OperationKind | None
    note: Note | None
    note_id: strawberry.ID | None
    proposal: Proposal | None
    error: UserError | None


@strawberry.type
class RememberManyPayload:
    """The results for the notes, in their order."""

    results: list[RememberResult]


@strawberry.type
class PageInfo:
    """The place of a page in its list."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type
class NoteEdge:
    """A note of a list with its place."""

    cursor: str
    node: Note


@strawberry.type
class NoteConnection:
    """A page of a list of notes."""

    nodes: list[Note]
    edges: list[NoteEdge]
    page_info: PageInfo
    given: strawberry.Private[NoteFilter]
    as_of: strawberry.Private[datetime | None] = None

    @strawberry.field
    async def total_count(self, info: Info) -> int:
        """The number of notes in the whole list; counted only when asked for."""
        return await count_notes(info.context, self.given, self.as_of)


@strawberry.type
class Step:
    """One step of the path from the question to a note."""

    relationship: str
    label: str
    note_id: strawberry.ID | None
    entity_id: strawberry.ID | None


@strawberry.type
class ScorePart:
    """The contribution of one of the values to a score."""

    name: str
    value: float


@strawberry.type
class Why:
    """The values that a score was made of, with the names in the profile's document; `parts` gives
    the contribution of each, and they add up to the score."""

    parts: list[ScorePart]
    similarity: float | None = None
    keyword: float | None = None
    graph: float | None = None
    activation: float | None = None
    relevance: float | None = None
    recency: float | None = None
    domain_boost: float | None = None
    tier_weight: float | None = None
    related_boost: float | None = None
    noise: float | None = None


@strawberry.type
class Passage:
    """The part of a long note that is nearest to the question, with the positions of its first
    character in the note's content and of the one after its last."""

    text: str
    from_: int = strawberry.field(name="from")
    to: int


@strawberry.type
class Hit:
    """One note of an answer."""

    rank: int
    score: float
    note: Note
    via: list[Step]
    why: Why | None
    superseded_by: strawberry.ID | None  # the hit that says otherwise and is newer
    passage: Passage | None  # of a long note, the part by which it was found


@strawberry.type
class Recall:
    """The answer to a question."""

    id: strawberry.ID
    hits: list[Hit]
    strategy: str
    confidence: float
    took_ms: float


@strawberry.type
class ContextPackage:
    """A text for a prompt, and the hits that it was made of; feedback on it is given under
    `recallId`."""

    text: str
    hits: list[Hit]
    token_count: int
    recall_id: strawberry.ID
    confidence: float
    suggested_scope: Scope
    suggested_domains: list[str]


@strawberry.type
class PathNode:
    """One station of a path."""

    id: strawberry.ID
    label: str
    kind: str


@strawberry.type
class Path:
    """A path that connects two entities."""

    nodes: list[PathNode]
    relationships: list[str]


@strawberry.type
class Neighbour:
    """A node, and how many steps it is away from the one in the middle."""

    id: strawberry.ID
    kind: NodeKind
    label: str
    hops: int


@strawberry.type
class NeighbourEdge:
    """A tie between two nodes, each named by its place among the nodes."""

    source: int
    target: int
    kind: str


@strawberry.type
class Neighbourhood:
    """Nodes and what ties them; the first is the one in the middle. `more`: there are others
    around it, which had no place."""

    nodes: list[Neighbour]
    edges: list[NeighbourEdge]
    more: bool


@strawberry.type
class Event:
    """A change."""

    id: strawberry.ID
    seq: Long
    at: datetime
    type: str
    channel: str
    actor: str
    subject_id: strawberry.ID | None
    domain: str | None
    summary: str
    data: JSON


@strawberry.type
class Stats:
    """The number of notes that the viewer can read, in all and by their properties."""

    total_notes: int
    by_domain: JSON
    by_visibility: JSON
    by_status: JSON
    by_tier: JSON
    by_activation: JSON
    storage_bytes: int = strawberry.field(resolver=lambda root: min(root.storage_bytes, MAX_INT))
    entities: int
    links: int


@strawberry.type
class Viewer:
    """The viewer who asks."""

    user: User | None
    agent: Agent | None
    admin: bool
    audiences: int


@strawberry.type
class ForgetPayload:
    """The notes that were, or would be, forgotten."""

    matches: list[Note]
    forgotten: int
    permanent: bool
    needs_confirmation: bool


@strawberry.type
class SetVisibilityPayload:
    """The result of a change of visibility."""

    updated_count: int
    note_ids: list[strawberry.ID]
    rule: VisibilityRule | None
