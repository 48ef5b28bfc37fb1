"""Archiving by jobs: notes that have ended or that repeat what other notes say; and undoing
that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final, Protocol, TypeVar

from graphmem.domain.notes import Status
from graphmem.store.graph import Row
from graphmem.store.rows import LAST_ID, ChangeRow, RevisionRow

EXPIRER: Final = "system:expiry"  # the actor; no user or agent has a colon in its id


@dataclass(frozen=True, kw_only=True)
class ChosenNote:
    """A note that a job selected, as it was read."""

    id: str
    user: str
    version: int
    audience: str
    domain: str
    status: Status


class AudienceItem(Protocol):
    """Anything that belongs to a user and an audience."""

    @property
    def user(self) -> str:
        """The user who owns it."""
        ...

    @property
    def audience(self) -> str:
        """The key of those who may read it."""
        ...


Some = TypeVar("Some", bound=AudienceItem)


def parameters_of_expiry(since: datetime, now: datetime) -> dict[str, object]:
    """Return the parameters of `jobs/expire_notes.cypher` for all notes."""
    return {"since": since, "now": now, "actor": EXPIRER, "after": "", "last": LAST_ID}


def to_chosen(row: Row) -> ChosenNote:
    """Return a note from its row."""
    given: Row = row | {"status": Status(row["status"])}
    return ChosenNote(**given)


def restore_row(note: ChosenNote) -> ChangeRow:
    """Return the row of a change that restores an archived note."""
    given = {"status": Status.ACTIVE, "archivedBy": None}
    return changed_row(note, given, {"status": [note.status, Status.ACTIVE]})


def changed_row(
    note: ChosenNote, given: Mapping[str, object], changes: Mapping[str, object]
) -> ChangeRow:
    """Return the row of a change with one revision, which records `changes`."""
    return ChangeRow(
        id=note.id,
        version=note.version,
        audience=note.audience,
        given=given,
        revisions=[RevisionRow(version=note.version + 1, changes=changes)],
    )


def runs_of(notes: Sequence[Some]) -> Iterator[list[Some]]:
    """Yield the notes of each user in runs for the same readers, in their given order. Events of
    one transaction are numbered audience by audience: if notes for several readers were changed in
    one transaction, the order would reveal how many other notes lie between them."""
    users: dict[str, list[Some]] = {}
    for note in notes:
        users.setdefault(note.user, []).append(note)
    for own in users.values():
        yield from (list(run) for _, run in groupby(own, lambda note: note.audience))
