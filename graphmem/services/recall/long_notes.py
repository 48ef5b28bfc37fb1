"""The passage of a long note that answers a question."""

from collections.abc import Sequence

from graphmem.domain.notes import Note
from graphmem.domain.passages import Passage
from graphmem.domain.profiles.parameters import Profile
from graphmem.services.recall.question_vectors import question_vector
from graphmem.services.recall.ranking import Search
from graphmem.services.recall.scoring import choose_best_passages
from graphmem.store.passages import near_passages

SHORT = 1_000  # characters of a note that is read as a whole, however many tokens it has


async def passages_of(search: Search, notes: Sequence[Note]) -> dict[str, Passage]:
    """Return, by note id, each long note's best passage for the question, chosen as in the ranking.

    Notes that have no passages, or had another version when the passages were read, are left out.
    """
    long = {note.id: note for note in notes if len(note.content) > SHORT}
    if not long:
        return {}
    found = await near_passages(
        search.context.graph,
        list(long),
        search.bounds.audiences,
        search.now,
        await question_vector(search.context.embedder, search.text),
    )
    near = {i: each.parts for i, each in found.items() if each.version == long[i].version}
    terms = search.terms if search.question.profile is Profile.BALANCED else ()
    chosen = choose_best_passages(terms, [[(s, words) for s, words, *_ in near[i]] for i in near])
    passages = {}
    for (i, parts), place in zip(near.items(), chosen, strict=True):
        _, _, start, end = parts[place]
        passages[i] = Passage(long[i].content[start:end], start, end)
    return passages
