"""Plans of drafts, and the choice of what becomes of each."""

from dataclasses import dataclass

from graphmem.domain.notes import Note, NoteDraft, Operation
from graphmem.errors import GraphmemError
from graphmem.services.writing.secrets import FoundSecret


@dataclass(frozen=True)
class Plan:
    """A checked draft on its way to a note."""

    index: int
    given: NoteDraft  # given by the writer
    draft: NoteDraft  # includes the names that its text holds
    note: Note
    curated: bool  # it is compared to other notes: the writer wants that and may read it again
    readable: bool  # its writer may read it again
    curated_key: str | None
    external_key: str | None  # key of its external id, which belongs to the author who gave it
    request_key: str | None
    request_hash: str
    operation: Operation = Operation.ADD  # the operation of a new note
    decided: bool = False  # it repeats a text whose readers the user decided
    secrets: tuple[FoundSecret, ...] = ()  # in what the writer gave


@dataclass(frozen=True)
class Choice:
    """The decision about a plan."""

    plan: Plan
    operation: Operation = Operation.ADD
    note_id: str = ""
    reason: str = ""
    note: Note | None = None  # its state after this draft; None: it has to be read
    affected: tuple[Note, ...] = ()
    replay: bool = False  # repeats an earlier write: the answer is known without the note
    error: GraphmemError | None = None
