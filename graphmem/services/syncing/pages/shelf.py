"""The notes that the pages of one viewer tell of, read once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final, TypeVar

from graphmem.domain.notes import Note
from graphmem.domain.strength import relevance_of
from graphmem.domain.visibility import Visibility
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import MAX_IDS, load_many

MOST_NOTES: Final = 20_000  # the newest
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """Readable notes by their ids, newest first, and the instant at which they were read."""

    notes: dict[str, Note]
    now: datetime

    async def load(self, context: Context, access: Access, ids: Iterable[str]) -> None:
        """Add the readable notes among the ids that are too old to be here."""
        missing = sorted({each for each in ids if each not in self.notes})
        for some in parts_of(missing, MAX_IDS):
            self.notes.update(_lasting((await load_many(context, access, some)).values()))

    def score(self, context: Context, note: Note) -> float:
        """Return the decay score of a note, rounded to four digits."""
        return round(relevance_of(note, self.now, context.ranking.decay), 4)


def fill_shelf(notes: Iterable[Note], now: datetime) -> Shelf:
    """Return the newest of the notes that the viewer may read."""
    newest = sorted(notes, key=lambda note: (note.created_at, note.id), reverse=True)
    return Shelf(notes=_lasting(newest[:MOST_NOTES]), now=now)


def _lasting(notes: Iterable[Note]) -> dict[str, Note]:
    """Return notes by their ids, without those that are in no file: of the local memory of
    sessions, and those in quarantine, as agents read the files."""
    kept_out = (Visibility.LOCAL, Visibility.QUARANTINED)
    return {note.id: note for note in notes if note.visibility not in kept_out}


def parts_of(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of at most `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
