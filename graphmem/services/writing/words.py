"""The words of notes: their indexes, written with the notes and read by recalls."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from graphmem.domain.notes import Note
from graphmem.language.analysis import own_words
from graphmem.language.languages import language_of
from graphmem.language.text_features import features_of, text_key
from graphmem.language.word_index import FORM, count_words, index_of
from graphmem.store import meta
from graphmem.store.graph import Graph
from graphmem.store.keywords import words_kept
from graphmem.store.recall import Candidate

COUNTED = 4_000  # characters of a note whose words count
NEAR = 1_000  # characters of a neighbour in the episode whose words count
BATCH = 500  # notes that get new indexes in one transaction


def words_of(note: Note) -> bytes:
    """Return the index of a note's content, title, speaker and date.

    Its neighbours take speaker and content from it.
    """
    at = note.occurred_at
    day = f"{at.date():%d %B %Y}" if at else None
    own = (note.content[:COUNTED], note.speaker, note.title, day)
    near = f"{note.speaker or ''} {note.content[:NEAR]}"
    return index_of(filter(None, own), near, language_of(note.content, note.title))


def word_properties(note: Note) -> dict[str, object]:
    """Return what the node of a note keeps of its words.

    That is their index, and, for a text that the full-text index would read by the rules of another
    language, the terms by its own rules (else None).
    """
    spoken = language_of(note.content, note.title)
    texts = filter(None, (note.content, note.title, note.speaker))
    terms = chain.from_iterable(own_words(text, spoken, parts=True) for text in texts)
    return {"words": words_of(note), "terms": words_kept(dict.fromkeys(terms))}


def count_terms(
    terms: Sequence[str], found: Iterable[Candidate], *, window: bool = True
) -> dict[str, tuple[int, Mapping[str, int]]]:
    """Return the words of candidates, as `bm25` takes them.

    With `window` the words of their neighbours count, too.
    """
    found = list(found)
    around = [[near.words for near in each.around] if window else () for each in found]
    words = count_words(terms, [each.words for each in found], around)
    return {each.id: of_it for each, of_it in zip(found, words, strict=True)}


async def index_old_notes(graph: Graph) -> int:
    """Index notes again whose index has an old form, and read their traits and keys.

    Returns how many there were. It continues where an interrupted start has stopped.
    """
    form, reached = await meta.read_words(graph)
    if form == FORM:
        return 0
    done = 0
    while batch := await meta.notes_after(graph, reached, BATCH):
        reached = max(note.id for note in batch)
        rows = [
            (
                note.id,
                note.version,
                word_properties(note),
                int(features_of(note.content)),
                text_key(note.content),
            )
            for note in batch
        ]
        await meta.set_words(graph, rows, reached)
        done += len(batch)
    await meta.finish_words(graph, FORM)
    return done
