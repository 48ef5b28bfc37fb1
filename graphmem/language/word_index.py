"""The word counts of a note in binary form, so that a recall need not cut texts into words.

An index has each term of a note once: 64 bits of its hash, how often the note's own texts have it,
and how often the text has it that counts for the note's neighbours in the episode, too."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final

import numpy as np

from graphmem.language.analysis import indexed
from graphmem.language.languages import Language

FORM: Final = 3  # of what is read of texts; with another one a start reads all of them again
MOST: Final = 65_535  # times that a term is counted
_ENTRY: Final = np.dtype([("term", "<u8"), ("own", "<u2"), ("near", "<u2")])


def index_of(own: Iterable[str], near: str, language: Language) -> bytes:
    """The index of a note: its own texts, and the text that its neighbours take from it."""
    ours = Counter(term for text in own for term in indexed(text, language))
    theirs = Counter(indexed(near, language))
    entries = [
        (_number(term), min(ours[term], MOST), min(theirs[term], MOST)) for term in ours | theirs
    ]
    return np.array(entries, dtype=_ENTRY).tobytes()


def count_words(
    terms: Sequence[str], notes: Sequence[bytes], around: Sequence[Sequence[bytes]]
) -> list[tuple[int, Mapping[str, int]]]:
    """For each note how many words it has, together with what it takes from those around it, and
    how often it has each of the terms that it has."""
    wanted = {_number(term): term for term in terms}
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


def _number(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")
