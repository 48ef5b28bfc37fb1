"""The passages of long notes, written in the transaction that gives the notes their texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graphmem.ai.embedder import Embedder
from graphmem.domain.notes import Note
from graphmem.domain.passages import WHOLE, Passage
from graphmem.language.passages import passages
from graphmem.services.context import Context
from graphmem.services.text_work import TextWork
from graphmem.services.writing.words import words_of
from graphmem.store.graph import Step
from graphmem.store.passages import PassageRow, put_step

AT_ONCE = 32  # passages embedded in one request
_Cut = Sequence[tuple[Passage, bytes]]


async def passage_steps(
    context: Context, notes: Iterable[Note], texts: TextWork | None = None
) -> list[Step]:
    """Return the step that gives notes with new texts their passages, none where no text is long.

    It comes after the one that writes the notes. Raises Unavailable.
    """
    made = await passages_of(context.embedder, notes, texts or context.texts)
    return [put_step(made)] if made else []


async def passages_of(
    embedder: Embedder, notes: Iterable[Note], texts: TextWork
) -> Mapping[str, Sequence[PassageRow]]:
    """Return the passages of the notes that are too long for one vector, by note ids.

    Raises Unavailable.
    """
    # A token has at least one letter, so the tokens of a short text need not be counted.
    some = [note for note in notes if len(note.reading_text) > WHOLE]
    if not some:
        return {}
    cut = await texts.each(
        lambda note: _cut_passages(embedder, note), some, lambda note: len(note.content)
    )
    long = [(note, parts) for note, parts in zip(some, cut, strict=True) if parts]
    reading_texts = [
        _passage_note(note, each).reading_text for note, parts in long for each, _ in parts
    ]
    vectors = list[list[float]]()
    for start in range(0, len(reading_texts), AT_ONCE):
        vectors += await embedder.embed_documents(reading_texts[start : start + AT_ONCE])
    remaining = iter(vectors)
    return {
        note.id: [
            PassageRow(start=each.start, end=each.end, embedding=next(remaining), words=words)
            for each, words in parts
        ]
        for note, parts in long
    }


def _cut_passages(embedder: Embedder, note: Note) -> _Cut:
    """Return the passages with the indexes of their words; none if one vector is enough."""
    count = embedder.count_tokens
    if count(note.reading_text) <= WHOLE:
        return []
    return [(each, words_of(_passage_note(note, each))) for each in passages(note.content, count)]


def _passage_note(note: Note, passage: Passage) -> Note:
    return replace(note, content=passage.text)
