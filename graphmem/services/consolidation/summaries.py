"""Summaries of episodes that belong together: the text of each, and the episodes it captures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from graphmem.domain.alerts import file_of
from graphmem.domain.consolidation import (
    IMPORTANCE,
    LARGEST,
    LONGER,
    SMALLEST,
    EpisodeToSummarise,
    LlmSummary,
)
from graphmem.domain.notes import Kind, Note, NoteType, Tier
from graphmem.domain.visibility import Visibility
from graphmem.language.lasting import is_lasting
from graphmem.language.takeaway import (
    ToldSentence,
    context_of,
    is_captured,
    is_faithful,
    statements_of,
    summary_of,
    takeaway,
)
from graphmem.services.context import Context
from graphmem.services.writing.construct import derive_note
from graphmem.services.writing.extraction import extract_note

MOST_CHANGED: Final = 20  # notes that one transaction covers


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A note that is made of episodes; `tellers` are the episodes whose sentences it uses."""

    note: Note
    sources: tuple[Note, ...]
    captured: tuple[Note, ...]  # sources that it repeats completely
    tellers: tuple[str, ...]
    saying: LlmSummary | None = None  # the text of an LLM, if the note uses it


def clusters_of(
    collected: Sequence[EpisodeToSummarise], groups: Sequence[Sequence[int]]
) -> list[tuple[str, ...]]:
    """Return the notes of each summary, in the order in which they happened.

    A group of three or more makes one summary, a large one several runs of equal length.
    """
    found = []
    for group in groups:
        if len(group) < SMALLEST:
            continue
        ids = [each.id for each in sorted((collected[i] for i in group), key=_time_key)]
        runs = -(-len(ids) // LARGEST)
        bounds = [round(i * len(ids) / runs) for i in range(runs + 1)]
        found += [tuple(ids[a:b]) for a, b in pairwise(bounds)]
    return found


def _time_key(each: EpisodeToSummarise) -> tuple[float, str]:
    return each.hours, each.id


def batches_of(clusters: Sequence[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """Split the clusters into lists, each of as many as one transaction takes."""
    found: list[list[tuple[str, ...]]] = []
    size = MOST_CHANGED
    for cluster in clusters:
        if size + len(cluster) > MOST_CHANGED:
            found.append([])
            size = 0
        found[-1].append(cluster)
        size += len(cluster)
    return found


def summarise_notes(
    context: Context,
    notes: Sequence[Note],
    now: datetime,
    check: Callable[[], None],
    saying: LlmSummary | None = None,
) -> Summary | None:
    """Return the summary of notes of one audience, in their order; None without anything lasting.

    It uses the words of an LLM's text if that is faithful to the notes.
    """
    sentences = {
        note.id: statements_of(note.content, note.speaker, note.occurred_at or note.created_at)
        for note in notes
    }
    if saying and not is_faithful(saying.text, [note.reading_text for note in notes]):
        saying = None
    chosen = (
        [t for t in statements_of(saying.text, None, None) if is_lasting(t.text)] if saying else []
    )
    if not chosen:
        chosen, saying = takeaway(list(sentences.values()), check), None
    if not chosen:
        return None
    whole = [note for note in notes if may_leave(note) and is_captured(sentences[note.id], chosen)]
    leaving = {note.id for note in whole}
    tellers = [i for i, own in sentences.items() if i in leaving or _shares_sentence(own, chosen)]
    return Summary(
        note=_make_note(context, notes, summary_of(chosen), now),
        sources=tuple(notes),
        captured=tuple(whole),
        tellers=tuple(tellers),
        saying=saying,
    )


def _shares_sentence(own: Sequence[ToldSentence], chosen: Sequence[ToldSentence]) -> bool:
    return any(each is other for each in own for other in chosen)


def may_leave(note: Note) -> bool:
    """Return True if a note may be archived when a summary repeats it completely.

    Notes that are stored as said, and files that agents follow, may not.
    """
    return note.context is not None and file_of(note) is None


def _make_note(context: Context, notes: Sequence[Note], content: str, now: datetime) -> Note:
    """Return the summary as a note for the same readers, with an author if only it reads them."""
    newest = notes[-1]
    own = newest.visibility in (Visibility.PRIVATE, Visibility.LOCAL)
    bare = replace(
        derive_note(newest, now),
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
    said = extract_note(context.extractor, bare, now)
    introduced = context_of(len(notes), content)
    return replace(bare, context=introduced, keywords=said.keywords, tags=said.tags)
