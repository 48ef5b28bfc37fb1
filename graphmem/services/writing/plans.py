"""Plans of drafts, and what is chosen to become of them."""

from dataclasses import dataclass

from graphmem.domain.notes import Note, NoteDraft, Operation
from graphmem.errors import GraphmemError


@dataclass(frozen=True)
class Plan:
    """A checked draft on its way to a note."""

    index: int
    given: NoteDraft  # by the writer
    draft: NoteDraft  # with the names that its text holds
    note: Note
    curated: bool  # it may meet other notes: the writer wants it and may read it again
    readable: bool  # its writer may read it again
    curated_key: str | None
    external_key: str | None  # of its external id, which belongs to who gave it
    request_key: str | None
    request_hash: str
    operation: Operation = Operation.ADD  # what a new note of it does
    decided: bool = False  # it says what stands where the user decided who reads it


@dataclass(frozen=True)
class Choice:
    """What is to be done with a plan."""

    plan: Plan
    operation: Operation = Operation.ADD
    note_id: str = ""
    reason: str = ""
    note: Note | None = None  # as it is after this draft; None: read it
    affected: tuple[Note, ...] = ()
    replay: bool = False  # of an earlier write: its answer is known without the note
    error: GraphmemError | None = None
