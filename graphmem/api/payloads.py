"""What queries and mutations answer beside the objects themselves."""

from __future__ import annotations

import dataclasses
from datetime import datetime

import strawberry

from graphmem.api.actors import Agent, User
from graphmem.api.context import Info
from graphmem.api.enums import OperationKind, Scope
from graphmem.api.plain import VisibilityRule
from graphmem.api.scalars import JSON, Long
from graphmem.api.types import Note, note_of
from graphmem.domain import events
from graphmem.domain.notes import NoteFilter
from graphmem.errors import GraphmemError
from graphmem.services.forgetting.forgetting import Forgotten
from graphmem.services.reading import notes as reading
from graphmem.services.reading import stats
from graphmem.services.recall import recall
from graphmem.services.writing.remember import Remembered
from graphmem.services.writing.visibility import Moved

MAX_INT = 2**31 - 1


@strawberry.type
class RememberPayload:
    """What became of a note, which is null when a write is repeated and the viewer may not read its
    note any more."""

    operation: OperationKind
    note: Note | None
    note_id: strawberry.ID
    affected: list[Note]
    reason: str


@strawberry.type
class UserError:
    """Why one note of many was not remembered."""

    code: str
    message: str
    path: list[str] | None


@strawberry.type
class RememberResult:
    """What became of one note of many."""

    index: int
    operation: OperationKind | None
    note: Note | None
    note_id: strawberry.ID | None
    error: UserError | None


@strawberry.type
class RememberManyPayload:
    """What became of the notes, in their order."""

    results: list[RememberResult]


@strawberry.type
class PageInfo:
    """Where a page lies in its list."""

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

    @strawberry.field
    async def total_count(self, info: Info) -> int:
        """How many notes the whole list has; counted only when asked for."""
        return await reading.count_notes(info.context.service, info.context.access, self.given)


@strawberry.type
class Step:
    """One step of the path from the question to a note."""

    relationship: str
    label: str
    note_id: strawberry.ID | None
    entity_id: strawberry.ID | None


@strawberry.type
class ScorePart:
    """What one of the values put into a score."""

    name: str
    value: float


@strawberry.type
class Why:
    """The values that a score was made of, as the profile's document names them; `parts` tells
    what each put into the score, and the parts add up to it."""

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
class Hit:
    """One note of an answer."""

    rank: int
    score: float
    note: Note
    via: list[Step]
    why: Why | None


@strawberry.type
class Recall:
    """An answer."""

    id: strawberry.ID
    hits: list[Hit]
    strategy: str
    confidence: float
    took_ms: float


@strawberry.type
class ContextPackage:
    """A text for a prompt and what it was made of; feedback on it is given under `recallId`."""

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
    """How two entities hang together."""

    nodes: list[PathNode]
    relationships: list[str]


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
    """How much the viewer can read."""

    total_notes: int
    by_domain: JSON
    by_visibility: JSON
    by_status: JSON
    by_tier: JSON
    by_activation: JSON
    storage_bytes: int
    entities: int
    links: int


@strawberry.type
class Viewer:
    """Who asks."""

    user: User | None
    agent: Agent | None
    admin: bool
    audiences: int


@strawberry.type
class ForgetPayload:
    """What was, or would be, forgotten."""

    matches: list[Note]
    forgotten: int
    permanent: bool
    needs_confirmation: bool


@strawberry.type
class SetVisibilityPayload:
    """What a change of visibility did."""

    updated_count: int
    note_ids: list[strawberry.ID]
    rule: VisibilityRule | None


def remembered_of(result: Remembered, info: Info) -> RememberPayload:
    """The answer to one note."""
    assert result.operation is not None
    assert result.note_id is not None
    note = note_of(result.note, info) if result.note else None
    affected = [note_of(each, info) for each in result.affected]
    return RememberPayload(
        operation=result.operation,
        note=note,
        note_id=strawberry.ID(result.note_id),
        affected=affected,
        reason=result.reason,
    )


def result_of(index: int, result: Remembered, info: Info) -> RememberResult:
    """The answer to one note of many."""
    return RememberResult(
        index=index,
        operation=result.operation,
        note=note_of(result.note, info) if result.note else None,
        note_id=strawberry.ID(result.note_id) if result.note_id else None,
        error=_user_error(result.error, index) if result.error else None,
    )


def _user_error(error: GraphmemError, index: int) -> UserError:
    return UserError(code=error.code, message=error.message, path=["notes", str(index)])


def connection_of(page: reading.Page, given: NoteFilter, info: Info) -> NoteConnection:
    """A page of notes."""
    shown = [note_of(note, info) for note in page.notes]
    return NoteConnection(
        nodes=shown,
        edges=[NoteEdge(cursor=c, node=n) for c, n in zip(page.cursors, shown, strict=True)],
        page_info=PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=page.cursors[0] if page.cursors else None,
            end_cursor=page.cursors[-1] if page.cursors else None,
        ),
        given=given,
    )


def hit_of(hit: recall.Hit, info: Info, *, explain: bool) -> Hit:
    """A hit."""
    return Hit(
        rank=hit.rank,
        score=hit.score,
        note=note_of(hit.note, info),
        via=[
            Step(
                relationship=step.relationship,
                label=step.label,
                note_id=strawberry.ID(step.note_id) if step.note_id else None,
                entity_id=strawberry.ID(step.entity_id) if step.entity_id else None,
            )
            for step in hit.via
        ],
        why=_why_of(hit.why) if explain else None,
    )


def _why_of(why: recall.Why) -> Why:
    told = {each.name for each in dataclasses.fields(Why)} - {"parts"}
    return Why(
        parts=[ScorePart(name=name, value=value) for name, value in why.summands],
        **{name: getattr(why, name, None) for name in told},
    )


def event_of(event: events.Event) -> Event:
    """An event."""
    return Event(
        id=strawberry.ID(event.id),
        seq=Long(event.seq),
        at=event.at,
        type=event.type,
        channel=event.channel,
        actor=event.actor,
        subject_id=strawberry.ID(event.subject_id) if event.subject_id else None,
        domain=event.domain,
        summary=event.summary,
        data=JSON(event.data),
    )


def recall_of(answer: recall.Recall, info: Info, *, explain: bool = False) -> Recall:
    """An answer."""
    return Recall(
        id=strawberry.ID(answer.id),
        hits=[hit_of(hit, info, explain=explain) for hit in answer.hits],
        strategy=answer.strategy,
        confidence=answer.confidence,
        took_ms=answer.took_ms,
    )


def stats_of(found: stats.Stats) -> Stats:
    """Statistics."""
    return Stats(
        total_notes=found.total_notes,
        by_domain=JSON(found.by_domain),
        by_visibility=JSON(found.by_visibility),
        by_status=JSON(found.by_status),
        by_tier=JSON(found.by_tier),
        by_activation=JSON(found.by_activation),
        storage_bytes=min(found.storage_bytes, MAX_INT),
        entities=found.entities,
        links=found.links,
    )


def forgotten_of(done: Forgotten, info: Info) -> ForgetPayload:
    """What was, or would be, forgotten."""
    return ForgetPayload(
        matches=[note_of(note, info) for note in done.matches],
        forgotten=done.forgotten,
        permanent=done.permanent,
        needs_confirmation=done.needs_confirmation,
    )


def moved_of(done: Moved) -> SetVisibilityPayload:
    """What a change of visibility did."""
    rule = done.rule
    return SetVisibilityPayload(
        updated_count=done.updated,
        note_ids=[strawberry.ID(i) for i in done.note_ids],
        rule=VisibilityRule(domain=rule[0], visibility=rule[1]) if rule else None,
    )
