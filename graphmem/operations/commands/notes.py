"""Commands that read, write, change and forget notes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any

from graphmem.domain.fields import Between, Domain, Id, Input
from graphmem.domain.notes import Note, NoteDraft, NoteFilter, Validity, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.notes import (
    Link,
    NoteConnection,
    RememberManyPayload,
    RememberPayload,
    connection_of,
    links_of,
    remembered_of,
    result_of,
)
from graphmem.operations.related import load_notes
from graphmem.services.context import missing
from graphmem.services.forgetting import forgetting, many
from graphmem.services.handoffs.lent import load_lent
from graphmem.services.proposals import previewing
from graphmem.services.reading import history
from graphmem.services.reading import notes as reading
from graphmem.services.sessions import remembering
from graphmem.services.writing import changing, links
from graphmem.services.writing.remember import audiences_of


def given_of(given: Input, *but: str) -> Mapping[str, Any]:
    """Return the fields of an input that were given, by name, except some."""
    return {
        name: value for name, value in vars(given).items() if value is not None and name not in but
    }


@dataclass(frozen=True, kw_only=True)
class Remember(NoteDraft, Change[RememberPayload]):
    """Remember one note."""

    checks_secrets = quarantines = True

    mode: WriteMode | None = None
    """that of `rememberMany` if left out, else `CURATED`"""

    @property
    def draft(self) -> NoteDraft:
        """The note to write."""
        return NoteDraft(**{name: value for name, value in vars(self).items() if name != "mode"})

    async def run(self, operation: Operation) -> RememberPayload:
        """Write it."""
        mode = self.mode or RememberMany.mode
        done = await remembering.remember(operation.service, operation.access, self.draft, mode)
        operation.add_written_audiences(audiences_of([done]))
        return remembered_of(done, operation)


@dataclass(frozen=True, kw_only=True)
class PreviewRemember(Command[previewing.Preview]):
    """Show what `remember` would read in a text and do with it. Nothing is written: neither a note
    nor an event, and a request of the same key is not taken for a repetition later."""

    note: Remember
    """the note that would be remembered, without a session"""

    async def run(self, operation: Operation) -> previewing.Preview:
        """Read and decide."""
        mode = self.note.mode or RememberMany.mode
        return await previewing.preview(operation.service, operation.access, self.note.draft, mode)


@dataclass(frozen=True, kw_only=True)
class RememberMany(Change[RememberManyPayload]):
    """Remember up to 500 notes, in groups of at most 50 that are written whole or not at all.
    A note that is bad, or for which no time was left, becomes an error of its own."""

    checks_secrets = quarantines = True

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
                return lent[self.id]
        return await history.get_note_as_of(service, access, self.id, self.external_id, self.as_of)


@dataclass(frozen=True, kw_only=True)
class ListNotes(Command[NoteConnection]):
    """Readable notes, newest first; with asOf, the notes that existed at that instant, as they were
    then: statuses, tags and text of the filter apply to that state."""

    filter: NoteFilter = field(default_factory=NoteFilter)
    first: Annotated[int, Between(1, reading.MAX_PAGE)] = 50
    after: str | None = None
    as_of: datetime | None = None

    async def run(self, operation: Operation) -> NoteConnection:
        """Read a page."""
        page = await history.list_notes_as_of(
            operation.service,
            operation.access,
            self.filter,
            first=self.first,
            after=self.after,
            as_of=self.as_of,
        )
        return connection_of(page, self.filter, self.as_of)


@dataclass(frozen=True, kw_only=True)
class Revise(Change[Note]):
    """Change a note; its old text stays in a revision."""

    checks_secrets = quarantines = True

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
        return await changing.revise(
            operation.service, operation.access, self.id, change, self.expected_version
        )


@dataclass(frozen=True, kw_only=True)
class Forget(Change[forgetting.ForgetOutcome]):
    """Archive a note by id, or, once confirmed, the notes that a query finds; `permanent`
    destroys."""

    id: Id | None = None
    query: str | None = None
    confirm: bool = False
    permanent: bool = False
    reason: str | None = None

    async def run(self, operation: Operation) -> forgetting.ForgetOutcome:
        """Forget, or return what would be forgotten."""
        return await forgetting.forget(
            operation.service,
            operation.access,
            note_id=self.id,
            query=self.query,
            confirm=self.confirm,
            permanent=self.permanent,
            reason=self.reason,
        )


@dataclass(frozen=True, kw_only=True)
class ForgetMany(Change[many.ForgottenMany]):
    """Archive all your own notes that a filter finds, expired ones too, such as those of one agent,
    episode or import; for the user in person. Without `confirm` they are only counted; `permanent`
    destroys them. One call does 1,000, newest first."""

    filter: NoteFilter
    confirm: bool = False
    permanent: bool = False

    async def run(self, operation: Operation) -> many.ForgottenMany:
        """Forget, or count what would be forgotten."""
        service, access, ends = operation.service, operation.access, operation.ends
        done = await many.forget_many(
            service,
            access,
            self.filter,
            confirm=self.confirm,
            permanent=self.permanent,
            until=ends,
        )
        if self.filter.text is None or not self.permanent:
            return done
        remaining = await many.count_remaining(service, access, [self.filter.text], until=ends)
        return replace(done, remaining=remaining)


@dataclass(frozen=True, kw_only=True)
class RestoreMany(Change[int]):
    """Take `forgetMany` back: restore the notes that were archived at this instant and have not
    changed since; what a job had archived before is as the job left it. For the user in person.
    Returns how many were restored; one call does 1,000."""

    at: datetime

    async def run(self, operation: Operation) -> int:
        """Restore them."""
        return await many.restore_many(
            operation.service, operation.access, self.at, until=operation.ends
        )


@dataclass(frozen=True, kw_only=True)
class Restore(Change[Note]):
    """Bring an archived note back."""

    id: Id

    async def run(self, operation: Operation) -> Note:
        """Restore it."""
        return await changing.restore(operation.service, operation.access, self.id)


@dataclass(frozen=True, kw_only=True)
class Pin(Change[Note]):
    """Pin a note, so that it never decays, or let it decay again."""

    id: Id
    pinned: bool = True
    visibility: Visibility | None = None

    async def run(self, operation: Operation) -> Note:
        """Pin or unpin it."""
        return await changing.pin(
            operation.service, operation.access, self.id, self.pinned, self.visibility
        )


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
