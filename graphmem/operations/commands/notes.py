"""Commands that read, write, change and forget notes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from graphmem.domain.notes import (
    EntityDraft,
    Kind,
    NoteDraft,
    NoteType,
    RelationDraft,
    Source,
    Status,
    Tier,
    Validity,
    WriteMode,
)
from graphmem.domain.notes import NoteFilter as Wanted
from graphmem.domain.visibility import Visibility
from graphmem.operations.command import Change, Command, Input
from graphmem.operations.fields import AtMost, Between, Domain, Id, Json, Name
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.notes import (
    ForgetPayload,
    Link,
    Note,
    NoteConnection,
    Preview,
    RememberManyPayload,
    RememberPayload,
    connection_of,
    forgotten_of,
    links_of,
    note_of,
    preview_of,
    remembered_of,
    result_of,
)
from graphmem.operations.related import load_notes
from graphmem.services.context import missing
from graphmem.services.forgetting import forgetting
from graphmem.services.handoffs.lent import load_lent
from graphmem.services.proposals import previewing
from graphmem.services.reading import history
from graphmem.services.reading import notes as reading
from graphmem.services.sessions import remembering
from graphmem.services.writing import changing, links
from graphmem.services.writing.remember import audiences_of

MAX_LIST: Final = 500  # entries of a list in a filter


def given_of(given: Input, *but: str) -> Mapping[str, Any]:
    """Return the fields of an input that were given, by name, except some."""
    return {
        name: value for name, value in vars(given).items() if value is not None and name not in but
    }


@dataclass(frozen=True, kw_only=True)
class EntityInput(Input):
    """A thing that a note is about."""

    name: str
    """its name"""
    type: str | None = None
    """such as `person`, `organisation`, `place` or `project`"""
    aliases: tuple[str, ...] = ()
    """other names of it"""


@dataclass(frozen=True, kw_only=True)
class RelationInput(Input):
    """A statement of a note about two things."""

    subject: str
    """a thing, by its name"""
    predicate: str
    """such as `works at`"""
    object: str
    """another thing, by its name"""
    confidence: float | None = None
    """from 0 to 1; 1 if left out"""
    valid_from: datetime | None = None
    """from when on it is true"""
    valid_to: datetime | None = None
    """until when it is true"""


@dataclass(frozen=True, kw_only=True)
class Remember(Change[RememberPayload]):
    """Remember one note."""

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
    entities: tuple[EntityInput, ...] = ()
    """what it is about, besides what rules find"""
    relations: tuple[RelationInput, ...] = ()
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
    mode: WriteMode | None = None
    """that of `rememberMany` if left out, else `CURATED`"""
    idempotency_key: str | None = None
    """a key of yours: a write that is repeated with it is done once"""

    @property
    def draft(self) -> NoteDraft:
        """The note to write."""
        return NoteDraft(
            **given_of(self, "mode", "entities", "relations"),
            entities=tuple(EntityDraft(**given_of(each)) for each in self.entities),
            relations=tuple(RelationDraft(**given_of(each)) for each in self.relations),
        )

    async def run(self, operation: Operation) -> RememberPayload:
        """Write it."""
        mode = self.mode or RememberMany.mode
        done = await remembering.remember(operation.service, operation.access, self.draft, mode)
        operation.add_written_audiences(audiences_of([done]))
        return remembered_of(done, operation)


@dataclass(frozen=True, kw_only=True)
class PreviewRemember(Command[Preview]):
    """Show what `remember` would read in a text and do with it. Nothing is written: neither a note
    nor an event, and a request of the same key is not taken for a repetition later."""

    note: Remember
    """the note that would be remembered, without a session"""

    async def run(self, operation: Operation) -> Preview:
        """Read and decide."""
        mode = self.note.mode or RememberMany.mode
        found = await previewing.preview(operation.service, operation.access, self.note.draft, mode)
        return preview_of(found, operation)


@dataclass(frozen=True, kw_only=True)
class RememberMany(Change[RememberManyPayload]):
    """Remember up to 500 notes, in groups of at most 50 that are written whole or not at all.
    A note that is bad, or for which no time was left, becomes an error of its own."""

    notes: tuple[Remember, ...]
    """the notes, in their order"""
    mode: WriteMode = WriteMode.CURATED
    """the mode of all of them"""

    async def run(self, operation: Operation) -> RememberManyPayload:
        """Write them."""
        drafts = [(note.draft, note.mode or self.mode) for note in self.notes]
        done = await remembering.remember_many(
            operation.service, operation.access, drafts, until=operation.ends
        )
        operation.add_written_audiences(audiences_of(done))
        return RememberManyPayload(
            results=tuple(result_of(i, each, operation) for i, each in enumerate(done))
        )


@dataclass(frozen=True, kw_only=True)
class NoteFilter(Input):
    """A filter of notes."""

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
    text: str | None = None
    """with these words"""
    since: datetime | None = None
    """that happened (or, without a time, were written) from this instant on"""
    until: datetime | None = None
    """that happened (or, without a time, were written) up to this instant"""

    @property
    def wanted(self) -> Wanted:
        """The filter for use cases."""
        return Wanted(**given_of(self))


@dataclass(frozen=True, kw_only=True)
class GetNote(Command[Note]):
    """One note by id or externalId, as it was at `asOf` if that is given; NOT_FOUND when it is
    missing or the viewer may not read it. With an externalId the viewer's own note comes first,
    then the oldest."""

    id: Id | None = None
    external_id: str | None = None
    as_of: datetime | None = None

    async def run(self, operation: Operation) -> Note:
        """Read it."""
        service, access = operation.service, operation.access
        if access.lent and self.id is not None and self.as_of is None and self.external_id is None:
            lent = await load_lent(service, access, [self.id])
            if self.id in lent:
                return note_of(lent[self.id], operation)
        found = await history.get_note_as_of(service, access, self.id, self.external_id, self.as_of)
        return note_of(found, operation)


@dataclass(frozen=True, kw_only=True)
class ListNotes(Command[NoteConnection]):
    """Readable notes, newest first; with asOf, the notes that existed at that instant, as they were
    then: statuses, tags and text of the filter apply to that state."""

    filter: NoteFilter | None = None
    first: Annotated[int, Between(1, reading.MAX_PAGE)] = 50
    after: str | None = None
    as_of: datetime | None = None

    async def run(self, operation: Operation) -> NoteConnection:
        """Read a page."""
        wanted = (self.filter or NoteFilter()).wanted
        page = await history.list_notes_as_of(
            operation.service,
            operation.access,
            wanted,
            first=self.first,
            after=self.after,
            as_of=self.as_of,
        )
        return connection_of(page, wanted, self.as_of, operation)


@dataclass(frozen=True, kw_only=True)
class Revise(Change[Note]):
    """Change a note; its old text stays in a revision."""

    id: Id
    content: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    domain: Domain | None = None
    importance: float | None = None
    validity: Validity | None = None
    expected_version: int | None = None

    async def run(self, operation: Operation) -> Note:
        """Change what is given."""
        change = changing.Edit(**given_of(self, "id", "expected_version"))
        note = await changing.revise(
            operation.service, operation.access, self.id, change, self.expected_version
        )
        return note_of(note, operation)


@dataclass(frozen=True, kw_only=True)
class Forget(Change[ForgetPayload]):
    """Archive a note by id, or, once confirmed, the notes that a query finds; `permanent`
    destroys."""

    id: Id | None = None
    query: str | None = None
    confirm: bool = False
    permanent: bool = False
    reason: str | None = None

    async def run(self, operation: Operation) -> ForgetPayload:
        """Forget, or return what would be forgotten."""
        done = await forgetting.forget(
            operation.service,
            operation.access,
            note_id=self.id,
            query=self.query,
            confirm=self.confirm,
            permanent=self.permanent,
            reason=self.reason,
        )
        return forgotten_of(done, operation)


@dataclass(frozen=True, kw_only=True)
class Restore(Change[Note]):
    """Bring an archived note back."""

    id: Id

    async def run(self, operation: Operation) -> Note:
        """Restore it."""
        note = await changing.restore(operation.service, operation.access, self.id)
        return note_of(note, operation)


@dataclass(frozen=True, kw_only=True)
class Pin(Change[Note]):
    """Pin a note, so that it never decays, or let it decay again."""

    id: Id
    pinned: bool = True
    visibility: Visibility | None = None

    async def run(self, operation: Operation) -> Note:
        """Pin or unpin it."""
        note = await changing.pin(
            operation.service, operation.access, self.id, self.pinned, self.visibility
        )
        return note_of(note, operation)


@dataclass(frozen=True, kw_only=True)
class LinkNotes(Change[Link]):
    """Link two notes."""

    source: Id
    target: Id
    kind: str
    reason: str | None = None

    async def run(self, operation: Operation) -> Link:
        """Link them."""
        made = await links.link(
            operation.service, operation.access, self.source, self.target, self.kind, self.reason
        )
        await operation.refresh()
        shown = links_of([made], await load_notes(operation, (made.source, made.target)))
        if not shown:  # one of the notes is no longer readable for this viewer
            raise missing("link")
        return shown[0]


@dataclass(frozen=True, kw_only=True)
class Unlink(Change[bool]):
    """Remove a link."""

    id: Id

    async def run(self, operation: Operation) -> bool:
        """Remove it."""
        return await links.unlink(operation.service, operation.access, self.id)
