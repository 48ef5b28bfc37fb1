"""Summaries of episodes that belong together: what each says, and which episodes it captures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from graphmem.domain.alerts import file_of
from graphmem.domain.consolidation import IMPORTANCE, LARGEST, LONGER, SMALLEST, Collected, Saying
from graphmem.domain.notes import Kind, Note, NoteType, Tier
from graphmem.domain.visibility import Visibility
from graphmem.language.lasting import is_lasting
from graphmem.language.takeaway import (
    ToldSentence,
    captured,
    context_of,
    is_faithful,
    summary_of,
    takeaway,
    told_by,
)
from graphmem.services.context import Context
from graphmem.services.writing.construct import inferred
from graphmem.services.writing.extraction import extracted

MOST_CHANGED: Final = 20  # notes that one transaction is about


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A note that is made of episodes; `tellers` are those of them that tell it."""

    note: Note
    sources: tuple[Note, ...]
    captured: tuple[Note, ...]  # sources of which it says all
    tellers: tuple[str, ...]
    saying: Saying | None = None  # by an LLM, which the note says


def clusters_of(
    collected: Sequence[Collected], groups: Sequence[Sequence[int]]
) -> list[tuple[str, ...]]:
    """The notes of each summary: of a group of three or more, in the order in which they happened;
    of a large one several runs of equal length."""
    found = []
    for group in groups:
        if len(group) < SMALLEST:
            continue
        ids = [each.id for each in sorted((collected[i] for i in group), key=_in_time)]
        runs = -(-len(ids) // LARGEST)
        bounds = [round(i * len(ids) / runs) for i in range(runs + 1)]
        found += [tuple(ids[a:b]) for a, b in pairwise(bounds)]
    return found


def _in_time(each: Collected) -> tuple[float, str]:
    return each.hours, each.id


def batches_of(clusters: Sequence[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """The clusters in lists, each of as many as one transaction takes."""
    found: list[list[tuple[str, ...]]] = []
    size = MOST_CHANGED
    for cluster in clusters:
        if size + len(cluster) > MOST_CHANGED:
            found.append([])
            size = 0
        found[-1].append(cluster)
        size += len(cluster)
    return found


def summarised(
    context: Context,
    notes: Sequence[Note],
    now: datetime,
    check: Callable[[], None],
    saying: Saying | None = None,
) -> Summary | None:
    """The summary of notes of one audience, in their order, in the words of a saying if it is
    faithful to them; None when they tell nothing."""
    told = {
        note.id: told_by(note.content, note.speaker, note.occurred_at or note.created_at)
        for note in notes
    }
    if saying and not is_faithful(saying.text, [note.reading_text for note in notes]):
        saying = None
    chosen = [t for t in told_by(saying.text, None, None) if is_lasting(t.text)] if saying else []
    if not chosen:
        chosen, saying = takeaway(list(told.values()), check), None
    if not chosen:
        return None
    whole = [note for note in notes if may_leave(note) and captured(told[note.id], chosen)]
    leaving = {note.id for note in whole}
    tellers = [i for i, own in told.items() if i in leaving or _tells(own, chosen)]
    return Summary(
        note=_note_of(context, notes, summary_of(chosen), now),
        sources=tuple(notes),
        captured=tuple(whole),
        tellers=tuple(tellers),
        saying=saying,
    )


def _tells(own: Sequence[ToldSentence], chosen: Sequence[ToldSentence]) -> bool:
    return any(each is other for each in own for other in chosen)


def may_leave(note: Note) -> bool:
    """Decide if a note may be archived when a summary says all of it: not what is stored as
    said, nor a file that agents live by."""
    return note.context is not None and file_of(note) is None


def _note_of(context: Context, notes: Sequence[Note], content: str, now: datetime) -> Note:
    """The summary as a note for the same readers, which an author may tell."""
    newest = notes[-1]
    own = newest.visibility in (Visibility.PRIVATE, Visibility.LOCAL)
    bare = replace(
        inferred(newest, now),
        author=newest.author if own else None,
        content=content,
        title=None,
        kind=Kind.SEMANTIC,
        type=NoteType.FACT,
        importance=max(IMPORTANCE, *(note.importance for note in notes)),
        confidence=max(note.confidence for note in notes),
        tier=Tier.DAILY,
        half_life_hours=LONGER * context.writing.half_life_hours,
    )
    said = extracted(context.extractor, bare, now)
    introduced = context_of(len(notes), content)
    return replace(bare, context=introduced, keywords=said.keywords, tags=said.tags)
