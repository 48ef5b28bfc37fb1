"""What of a long note answers a question."""

from collections.abc import Sequence

from graphmem.domain.notes import Note
from graphmem.domain.passages import WHOLE, Passage
from graphmem.services.recall.ranking import Search
from graphmem.store.passages import best_passages

SHORT = 500  # characters of a note that is told as a whole, whatever its tokens are


async def passages_of(search: Search, notes: Sequence[Note]) -> dict[str, Passage]:
    """The passage of each long note that is nearest to the question, by the ids of the notes; none
    of a note that was another one then, or has no passages yet."""
    count = search.context.embedder.count_tokens
    long = {
        note.id: note
        for note in notes
        if len(note.content) > SHORT and count(note.reading_text) > WHOLE
    }
    if not long:
        return {}
    found = await best_passages(
        search.context.graph,
        list(long),
        search.bounds.audiences,
        search.now,
        await search.context.embedder.embed_query(search.text),
    )
    return {
        i: Passage(long[i].content[start:end], start, end)
        for i, (version, start, end) in found.items()
        if version == long[i].version
    }
