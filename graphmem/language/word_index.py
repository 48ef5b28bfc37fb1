"""The word counts of a note in binary form, so that a recall need not cut texts into words.

An index has each term of a note once: 64 bits of its hash, how often the note's own texts have
it, and how often the text that also counts for the note's neighbours in the episode has it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final

import numpy as np

from graphmem.language.analysis import search_terms
from graphmem.language.languages import Language

FORM: Final = 3  # version of the index; a start with another one reads all texts again
MOST: Final = 65_535  # highest count of a term
_ENTRY: Final = np.dtype([("term", "<u8"), ("own", "<u2"), ("near", "<u2")])


def index_of(own: Iterable[str], near: str, language: Language) -> bytes:
    """Return the index of a note.

    It has the words of its own texts, and of the text that its neighbours take from it."""
    ours = Counter(term for text in own for term in search_terms(text, language))
    theirs = Counter(search_terms(near, language))
    entries = [
        (_hash_term(term), min(ours[term], MOST), min(theirs[term], MOST)) for term in ours | theirs
    ]
    return np.array(entries, dtype=_ENTRY).tobytes()


def count_words(
    terms: Sequence[str], notes: Sequence[bytes], around: Sequence[Sequence[bytes]]
) -> list[tuple[int, Mapping[str, int]]]:
    """Return for each note the number of its words and the count of each of the terms it has.

    Both include what it takes from the notes around it."""
    wanted = {_hash_term(term): term for term in terms}
    keys = np.sort(np.fromiter(wanted, np.uint64, len(wanted)))
    lengths, counts = np.zeros(len(notes)), [dict[str, int]() for _ in notes]
    takes = [(i, index) for i, indexes in enumerate(around) for index in indexes]
    for field, indexes, owners in (
        ("own", notes, range(len(notes))),
        ("near", [index for _, index in takes], [i for i, _ in takes]),
    ):
        entries = np.frombuffer(b"".join(indexes), _ENTRY)
        sizes = [len(index) // _ENTRY.itemsize for index in indexes]
        owner = np.repeat(np.asarray(owners, np.int64), sizes)
        lengths += np.bincount(owner, entries[field], len(notes))
        if not wanted:
            continue
        places = np.searchsorted(keys, entries["term"]) % len(keys)
        hits = np.flatnonzero((keys[places] == entries["term"]) & (entries[field] > 0))
        found = entries[hits]
        for i, number, count in zip(
            owner[hits].tolist(), found["term"].tolist(), found[field].tolist(), strict=True
        ):
            term = wanted[number]
            counts[i][term] = counts[i].get(term, 0) + count
    return list(zip(map(int, lengths), counts, strict=True))


def _hash_term(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")
