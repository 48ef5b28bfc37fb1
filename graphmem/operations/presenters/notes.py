"""Notes, links and the results of changes to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Final

from graphmem.domain import notes as domain
from graphmem.domain.notes import Kind, NoteType, Source, Status, Tier, Validity
from graphmem.domain.notes import Operation as Done
from graphmem.domain.strength import strength
from graphmem.domain.visibility import Visibility
from graphmem.errors import GraphmemError
from graphmem.language.languages import tag_of
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.as_json import HIDDEN
from graphmem.operations.presenters.proposals import Proposal, proposal_of
from graphmem.services.forgetting.forgetting import ForgetOutcome
from graphmem.services.proposals import previewing
from graphmem.services.reading.notes import Page
from graphmem.services.writing.remember import Remembered
from graphmem.services.writing.visibility import VisibilityChange


@dataclass(frozen=True, kw_only=True)
class Note:
    """One piece of memory, with its present strength."""

    id: str
    external_id: str | None
    """its author's own id of it"""
    version: int
    """1 at first, one more with each change"""
    content: str
    """the text"""
    language: str | None
    """the primary tag (BCP 47) of the language that the text seems to be in, such as `en` or `ja`;
    null where that is not sure"""
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
    tier: Tier
    """how long it is meant to last"""
    status: Status
    """how alive it is"""
    activation: float
    """how present it is by when and how often it was used (the base level of ACT-R)"""
    retention: float
    """what is left of it by its half-life, from 0 to 1"""
    relevance: float
    """how much it counts after days without use"""
    half_life_hours: float | None
    """hours without use that halve its retention; null: it never decays"""
    access_count: int
    """how often it was used"""
    last_accessed_at: datetime | None
    """when it was used last"""
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
    user_id: str
    author_id: str | None  # an agent; None: the user in person


@dataclass(frozen=True, kw_only=True)
class Link:
    """A typed connection between two notes."""

    id: str
    kind: str
    strength: float
    reason: str | None
    source: Note
    target: Note
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class PageInfo:
    """The place of a page in its list."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class NoteEdge:
    """A note of a list with its place."""

    cursor: str
    node: Note


@dataclass(frozen=True, kw_only=True)
class NoteConnection:
    """A page of a list of notes."""

    edges: tuple[NoteEdge, ...]
    page_info: PageInfo
    given: domain.NoteFilter = field(metadata=HIDDEN)
    as_of: datetime | None = field(default=None, metadata=HIDDEN)

    @property
    def nodes(self) -> list[Note]:
        """The notes without their places."""
        return [edge.node for edge in self.edges]


@dataclass(frozen=True, kw_only=True)
class RememberPayload:
    """The result of writing a note; `note` is null when it was proposed, and when a write is
    repeated and the viewer may not read the note any more."""

    operation: Done
    note: Note | None
    note_id: str | None
    proposal: Proposal | None
    affected: tuple[Note, ...]
    reason: str


@dataclass(frozen=True, kw_only=True)
class PreviewEntity:
    """A thing that a text, or its writer, names."""

    name: str
    type: str | None
    of_text: bool


@dataclass(frozen=True, kw_only=True)
class PreviewRelation:
    """A statement of a text, or of its writer, about two things."""

    subject: str
    predicate: str
    object: str
    valid_from: datetime | None
    valid_to: datetime | None
    of_text: bool


@dataclass(frozen=True, kw_only=True)
class Preview:
    """The outcome that a write would have: `read` is the note as it would be by itself, `note` the
    one that would come of it, `affected` those that would change with it. Until it is written, a
    new note's id belongs to nothing. An agent that may not read what it would write gets no
    `read`."""

    operation: Done
    reason: str
    read: Note | None
    entities: tuple[PreviewEntity, ...]
    relations: tuple[PreviewRelation, ...]
    note: Note | None
    affected: tuple[Note, ...]


@dataclass(frozen=True, kw_only=True)
class UserError:
    """The reason why one note of many was not remembered."""

    code: str
    message: str
    path: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class RememberResult:
    """The result for one note of many."""

    index: int
    operation: Done | None
    note: Note | None
    note_id: str | None
    proposal: Proposal | None
    error: UserError | None


@dataclass(frozen=True, kw_only=True)
class RememberManyPayload:
    """The results for the notes, in their order."""

    results: tuple[RememberResult, ...]


@dataclass(frozen=True, kw_only=True)
class ForgetPayload:
    """The notes that were, or would be, forgotten."""

    matches: tuple[Note, ...]
    forgotten: int
    permanent: bool
    needs_confirmation: bool


@dataclass(frozen=True, kw_only=True)
class VisibilityRule:
    """The visibility of new notes of a domain and below."""

    domain: str
    visibility: Visibility


@dataclass(frozen=True, kw_only=True)
class SetVisibilityPayload:
    """The result of a change of visibility."""

    updated_count: int
    note_ids: tuple[str, ...]
    rule: VisibilityRule | None


_AS_STORED: Final = tuple(
    each.name for each in fields(Note) if each.name in domain.Note.__dataclass_fields__
)


def note_of(note: domain.Note, operation: Operation) -> Note:
    """Return a note with its present strength."""
    service = operation.service
    ranking = service.ranking
    strong = strength(note, service.clock(), ranking.act_r.d, ranking.decay)
    return Note(
        **{name: getattr(note, name) for name in _AS_STORED},
        # Detected from the text, so better detection also helps old notes; it takes microseconds.
        language=tag_of(note.content, note.title),
        activation=strong.activation,
        retention=strong.retention,
        relevance=strong.relevance,
        last_accessed_at=note.last_accessed_at,
        user_id=note.user,
        author_id=note.author,
    )


def notes_of(notes: Sequence[domain.Note], operation: Operation) -> tuple[Note, ...]:
    """Return notes with their present strength."""
    return tuple(note_of(note, operation) for note in notes)


def links_of(found: Sequence[domain.Link], notes: Mapping[str, Note]) -> list[Link]:
    """Return the links whose two notes are given."""
    return [
        Link(
            id=each.id,
            kind=each.kind,
            strength=each.strength,
            reason=each.reason,
            source=notes[each.source],
            target=notes[each.target],
            created_at=each.created_at,
        )
        for each in found
        if each.source in notes and each.target in notes
    ]


def connection_of(
    page: Page, given: domain.NoteFilter, as_of: datetime | None, operation: Operation
) -> NoteConnection:
    """Return a page of notes."""
    shown = notes_of(page.notes, operation)
    return NoteConnection(
        edges=tuple(NoteEdge(cursor=c, node=n) for c, n in zip(page.cursors, shown, strict=True)),
        page_info=PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=page.cursors[0] if page.cursors else None,
            end_cursor=page.cursors[-1] if page.cursors else None,
        ),
        given=given,
        as_of=as_of,
    )


def remembered_of(result: Remembered, operation: Operation) -> RememberPayload:
    """Return the answer to one note."""
    assert result.operation is not None
    return RememberPayload(
        operation=result.operation,
        note=note_of(result.note, operation) if result.note else None,
        note_id=result.note_id,
        proposal=proposal_of(result.proposal, operation) if result.proposal else None,
        affected=notes_of(result.affected, operation),
        reason=result.reason,
    )


def preview_of(found: previewing.Preview, operation: Operation) -> Preview:
    """Return the answer to what a write would do."""
    result = found.result
    assert result.operation is not None
    return Preview(
        operation=result.operation,
        reason=result.reason,
        read=None if found.read is None else note_of(found.read, operation),
        entities=tuple(
            PreviewEntity(name=each.name, type=each.type, of_text=each.of_text)
            for each in found.entities
        ),
        relations=tuple(
            PreviewRelation(
                subject=each.subject,
                predicate=each.predicate,
                object=each.object,
                valid_from=each.valid_from,
                valid_to=each.valid_to,
                of_text=each.of_text,
            )
            for each in found.relations
        ),
        note=note_of(result.note, operation) if result.note else None,
        affected=notes_of(result.affected, operation),
    )


def result_of(index: int, result: Remembered, operation: Operation) -> RememberResult:
    """Return the answer to one note of many."""
    return RememberResult(
        index=index,
        operation=result.operation,
        note=note_of(result.note, operation) if result.note else None,
        note_id=result.note_id or None,
        proposal=proposal_of(result.proposal, operation) if result.proposal else None,
        error=_user_error(result.error, index) if result.error else None,
    )


def _user_error(error: GraphmemError, index: int) -> UserError:
    return UserError(code=error.code, message=error.message, path=("notes", str(index)))


def forgotten_of(done: ForgetOutcome, operation: Operation) -> ForgetPayload:
    """Return the notes that were, or would be, forgotten."""
    return ForgetPayload(
        matches=notes_of(done.matches, operation),
        forgotten=done.forgotten,
        permanent=done.permanent,
        needs_confirmation=done.needs_confirmation,
    )


def moved_of(done: VisibilityChange) -> SetVisibilityPayload:
    """Return the result of a change of visibility."""
    rule = done.rule
    return SetVisibilityPayload(
        updated_count=done.updated,
        note_ids=done.note_ids,
        rule=VisibilityRule(domain=rule[0], visibility=rule[1]) if rule else None,
    )
