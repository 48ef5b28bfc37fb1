"""Change sets: notes as a write leaves them, and what connects them.

Both are immutable; a change set is written by `applying`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from graphmem.domain.activation import KEPT_ACCESSES
from graphmem.domain.actors import AUDIT
from graphmem.domain.alerts import Sensitivity, file_of, sensitivity_of
from graphmem.domain.linking import Facets
from graphmem.domain.notes import Note, NoteDraft, Status
from graphmem.domain.visibility import Audience
from graphmem.language.extraction import mark_of
from graphmem.services.writing.plans import Plan
from graphmem.store.changes import Mentions
from graphmem.store.events import event_row
from graphmem.store.rows import EventRow, LinkRow, RevisionRow, note_properties

_LONGEST, _SHORTEST = 87_600.0, 1.0  # hours of a half-life (DIFF-10)
_FIELDS = (
    "content title titleKey context keywords tags importance confidence validity pinned "
    "loadBearing metadata domain visibility tier status validTo quarantined heldFrom"
).split()
_REVISION_FIELDS = [n for n in _FIELDS if n not in ("titleKey", "quarantined", "heldFrom")]
_UNREAD = {"status", "tier", "validTo"}  # the place in core memory does not depend on them
# changing one makes a curated key invalid
_IN_KEY = {"content", "title", "status", "domain", "visibility"}


@dataclass(frozen=True)
class _Event:
    """An event about a note, for the readers that the note has in the end."""

    kind: str
    summary: str
    data: object


@dataclass(frozen=True, kw_only=True, eq=False)
class WorkingNote:
    """A note in a change set: as the graph has it, and as it will be."""

    note: Note
    before: Note | None = None  # None: the note is new
    plan: Plan | None = None  # plan of a new note
    properties: Mapping[str, object] = field(default_factory=dict)  # further properties of its node
    names: tuple[str, ...] = ()  # keys of the entities it mentions
    vector: Sequence[float] | None = None  # vector of a new or changed text
    revisions: tuple[RevisionRow, ...] = ()
    events: tuple[_Event, ...] = ()
    wordings: tuple[Note, ...] = ()  # drafts, as notes, that repeated it
    accesses: tuple[datetime, ...] = ()
    factor: float = 1.0  # factor of the half-life
    draft: NoteDraft | None = None  # has the names to be mentioned
    given_tags: tuple[str, ...] = ()  # tags given by writers of this call
    given_keywords: tuple[str, ...] = ()  # keywords given by a writer, now or before
    lent_tags: tuple[str, ...] = ()  # lent by notes of the same readers, in this call

    @classmethod
    def new(cls, note: Note, event: str, summary: str, data: object = None, **given: Any) -> Self:
        """Create a new note; `given`: other fields."""
        revision = RevisionRow(version=1, content=note.content, changes={})
        events = (_Event(event, summary, data),)
        made = cls(note=note, revisions=(revision,), events=events)
        return replace(made, **given)

    @classmethod
    def of(cls, note: Note) -> Self:
        """Create a working note of a note in the graph, without changes."""
        return cls(note=note, before=note)

    @property
    def id(self) -> str:
        """The id of the note."""
        return self.note.id

    @property
    def audience(self) -> Audience:
        """The audience of the note: those who may read it."""
        return self.note.audience

    @cached_property
    def facets(self) -> Facets:
        """The properties that links can be based on."""
        return Facets(self.note.keywords, self.note.tags, self.names)

    @property
    def is_live(self) -> bool:
        """True if the note counts for later drafts."""
        return self.note.status in (Status.ACTIVE, Status.FADING, Status.DORMANT)

    @property
    def is_changed(self) -> bool:
        """True if a note that is already in the graph gets a new version."""
        return self.before is not None and bool(self.revisions)

    @property
    def has_new_text(self) -> bool:
        """True if its readers will be able to read words that its node does not have."""
        old, new = self.before, self.note
        return old is None or (old.content, old.title, old.tags) != (
            new.content,
            new.title,
            new.tags,
        )

    @property
    def is_as_told(self) -> bool:
        """True if its text is still the one that it came with."""
        return not self.revisions or self.revisions[0].content == self.note.content

    def with_given(self, draft: NoteDraft) -> Self:
        """Record the words that the writer gave: a change of the text keeps them.

        See `reextraction`.
        """
        tags = tuple(dict.fromkeys((*self.given_tags, *draft.tags)))
        return replace(self, given_tags=tags, given_keywords=draft.keywords or self.given_keywords)

    def with_accesses(self, times: Sequence[datetime], factor: float) -> Self:
        """Add accesses, and make the half-life `factor` times as long."""
        note, half_life = self.note, self.note.half_life_hours
        if half_life is not None:
            half_life = min(max(half_life * factor, _SHORTEST), _LONGEST)
        new = replace(
            note,
            access_count=note.access_count + len(times),
            accesses=(*note.accesses, *times)[-KEPT_ACCESSES:],
            half_life_hours=half_life,
        )
        accesses = (*self.accesses, *times)
        return replace(self, note=new, accesses=accesses, factor=self.factor * factor)

    def with_change(
        self,
        new: Note,
        now: datetime,
        event: str,
        summary: str,
        data: object = None,
        *,
        details: Mapping[str, object] | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> Self:
        """Return the note in another state, with a revision and an event.

        `details`: what the revision reports besides the difference; `properties`: those of its node
        that are not properties of a note.
        """
        new = replace(new, version=self.note.version + 1, updated_at=now)
        as_before = not self.revisions and new.content == self.note.content
        changes = {**differences(self.note, new), **(details or {})}
        revision = RevisionRow(
            version=new.version, content=None if as_before else new.content, changes=changes
        )
        return replace(
            self,
            note=new,
            revisions=(*self.revisions, revision),
            events=(*self.events, _Event(event, summary, data)),
            properties={**self.properties, **(properties or {})},
        )

    def changed_properties(self, put_away_by: str | None) -> dict[str, object]:
        """Return the properties of its node that change.

        `put_away_by`: who archives it, if that is not the user in person.
        """
        assert self.before is not None
        old, new = note_properties(self.before), note_properties(self.note)
        given = {name: new[name] for name in _FIELDS if new[name] != old[name]}
        is_read_again = bool(given.keys() - _UNREAD)
        if _IN_KEY & given.keys():
            given["curatedKey"] = None
        if "status" in given:
            # an archived note is never brought back by decay
            archived = self.note.status is Status.ARCHIVED
            given["archivedBy"] = put_away_by if archived else None
        if "pinned" in given and (self.note.pinned or self.before.half_life_hours is None):
            given["halfLifeHours"] = self.note.half_life_hours  # otherwise it may have grown since
        if is_read_again:
            given["coreMark"] = mark_of(self.note)
        return {**given, **self.properties}

    def event_rows(self, actor: str, now: datetime) -> list[EventRow]:
        """Return its events."""
        return [
            note_event(each.kind, each.summary, self.note, actor, now, each.data)
            for each in self.events
        ]


def differences(old: Note, new: Note) -> dict[str, object]:
    """Return the differences of two states of a note for a revision, without the content itself."""
    before, after = note_properties(old), note_properties(new)
    return {
        name: True if name == "content" else [_to_plain(before[name]), _to_plain(after[name])]
        for name in _REVISION_FIELDS
        if before[name] != after[name]
    }


def _to_plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


@dataclass(frozen=True, kw_only=True)
class ChangeSet:
    """Everything that one write changes: notes, and what connects them."""

    now: datetime
    notes: Mapping[str, WorkingNote] = field(default_factory=dict)  # key: id
    released: tuple[str, ...] = ()  # expired notes that give their external id or key away
    strengthened: tuple[str, ...] = ()  # notes that are repeated and were not read
    superseded: tuple[tuple[str, str, str], ...] = ()  # new, old, reason
    derived: tuple[tuple[str, str], ...] = ()  # a note, and one that became part of it
    links: tuple[LinkRow, ...] = ()
    conflicts: tuple[tuple[str, str, float], ...] = ()  # a note, a newer one, their cosine
    mentions: Mentions | None = None  # None: they are read from the drafts of the notes
    # Notes with a new text, each with the key of the title that it lost. Mentions of the old text
    # that the new one does not have are removed.
    reextracted: tuple[tuple[str, str | None], ...] = ()

    @classmethod
    def of(cls, now: datetime, notes: Iterable[WorkingNote], **given: Any) -> Self:
        """Create a change set of these notes; `given`: other fields."""
        return cls(now=now, notes={working.id: working for working in notes}, **given)

    @property
    def owner(self) -> str | None:
        """The name of the owner of its notes, who is the same for all; None without notes."""
        return next((working.note.user for working in self.notes.values()), None)


def note_event(
    kind: str,
    summary: str,
    note: Note,
    actor: str,
    now: datetime,
    data: object = None,
    channel: str = "memory_update",
    *,
    other: Note | None = None,
) -> EventRow:
    """Return an event about a note, for those who may read the note, and the `other` one, if given.

    The event has the sensitivity of the note, if that is not the standard one (MOLT-64).
    """
    sensitivity = sensitivity_of(note)
    if sensitivity is not Sensitivity.STANDARD and (data is None or isinstance(data, Mapping)):
        data = {**(data or {}), "sensitivity": sensitivity}
    return event_row(
        kind,
        summary,
        audience=note.audience.key,
        actor=actor,
        at=now,
        subject_id=note.id,
        domain=note.domain,
        channel=channel,
        data=data,
        other=(other.id, other.audience.key) if other else None,
    )


def alert_event(note: Note, summary: str, now: datetime, data: Mapping[str, object]) -> EventRow:
    """Return an alert about a file that agents follow, for those who may read it."""
    payload = {"file": file_of(note), **data}
    return note_event("ALERT", summary, note, AUDIT, now, payload, channel="state_change")


def flag_event(note: Note, actor: str, now: datetime) -> EventRow:
    """Return the alert that somebody else than the user changed or destroyed a file (MOLT-72)."""
    data = {"by": actor, "version": note.version, "integrity": True}
    return alert_event(note, "file changed by somebody else than you", now, data)
