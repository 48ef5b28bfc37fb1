"""Notes, links and the results of changes to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from graphmem.domain import notes as domain
from graphmem.domain.fields import NOT_SHOWN, shown_property
from graphmem.domain.notes import Note, NoteFilter
from graphmem.domain.notes import Operation as Done
from graphmem.domain.strength import Strength, strength
from graphmem.errors import GraphmemError
from graphmem.language.languages import tag_of
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.proposals import Proposal, proposal_of
from graphmem.services.reading.notes import Page
from graphmem.services.writing.remember import Remembered
from graphmem.services.writing.secrets import FoundSecret


@dataclass(frozen=True)
class NoteState:
    """The present state of a note, worked out when it is shown: its strength and its language."""

    note: Note = field(metadata=NOT_SHOWN)
    operation: Operation = field(metadata=NOT_SHOWN)

    @shown_property
    def language(self) -> str | None:
        """the primary tag (BCP 47) of the language that the text seems to be in, such as `en` or
        `ja`; null where that is not sure"""
        # Detected from the text, so better detection also helps old notes; it takes microseconds.
        return language_of(self.note)

    @shown_property
    def activation(self) -> float:
        """how present it is by when and how often it was used (the base level of ACT-R)"""
        return self._strength.activation

    @shown_property
    def retention(self) -> float:
        """what is left of it by its half-life, from 0 to 1"""
        return self._strength.retention

    @shown_property
    def relevance(self) -> float:
        """how much it counts after days without use"""
        return self._strength.relevance

    @cached_property
    def _strength(self) -> Strength:
        service = self.operation.service
        ranking = service.ranking
        return strength(self.note, service.clock(), ranking.act_r.d, ranking.decay)


def language_of(note: Note) -> str | None:
    """Return the tag of the language that a note seems to be in, None where that is not sure."""
    return tag_of(note.content, note.title)


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
    given: NoteFilter = field(metadata=NOT_SHOWN)
    as_of: datetime | None = field(default=None, metadata=NOT_SHOWN)

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
    secrets: tuple[FoundSecret, ...] = ()
    """the kinds of secrets in the text, and what was done"""


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
    secrets: tuple[FoundSecret, ...] = ()
    """the kinds of secrets in the text, and what was done"""


@dataclass(frozen=True, kw_only=True)
class RememberManyPayload:
    """The results for the notes, in their order."""

    results: tuple[RememberResult, ...]


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


def connection_of(page: Page, given: NoteFilter, as_of: datetime | None) -> NoteConnection:
    """Return a page of notes."""
    pairs = zip(page.cursors, page.notes, strict=True)
    return NoteConnection(
        edges=tuple(NoteEdge(cursor=cursor, node=note) for cursor, note in pairs),
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
        note=result.note,
        note_id=result.note_id,
        proposal=proposal_of(result.proposal, operation) if result.proposal else None,
        affected=result.affected,
        reason=result.reason,
        secrets=result.secrets,
    )


def result_of(index: int, result: Remembered, operation: Operation) -> RememberResult:
    """Return the answer to one note of many."""
    return RememberResult(
        index=index,
        operation=result.operation,
        note=result.note,
        note_id=result.note_id or None,
        proposal=proposal_of(result.proposal, operation) if result.proposal else None,
        error=_user_error(result.error, index) if result.error else None,
        secrets=result.secrets,
    )


def _user_error(error: GraphmemError, index: int) -> UserError:
    return UserError(code=error.code, message=error.message, path=("notes", str(index)))
