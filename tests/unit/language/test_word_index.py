"""The index of a note's words against the words themselves."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.ranking import bm25
from graphmem.language.analysis import analyse, search_terms
from graphmem.language.languages import Language
from graphmem.language.word_index import MOST, count_words, index_of

TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from("kiln Kilns relay's the fire 12 May é 窯 窯元 Ofentür x".split())).map(
        " ".join
    ),
)
NOTES = st.lists(st.tuples(st.lists(TEXTS, max_size=3), TEXTS), max_size=6)


def by_hand(terms: Sequence[str], texts: Sequence[str]) -> tuple[int, dict[str, int]]:
    words = [word for text in texts for word in search_terms(text, Language.GERMAN)]
    return len(words), {term: count for term, count in Counter(words).items() if term in terms}


@given(NOTES, TEXTS, st.integers(0, 3))
def test_words_are_counted_as_if_the_texts_were_cut(
    notes: list[tuple[list[str], str]], question: str, apart: int
) -> None:
    terms = analyse(question, Language.GERMAN)
    indexes = [index_of(own, near, Language.GERMAN) for own, near in notes]
    around = [notes[i + 1 : i + 1 + apart] for i in range(len(notes))]
    places = [indexes[i + 1 : i + 1 + apart] for i in range(len(notes))]
    found = count_words(terms, indexes, places)
    expected = [
        by_hand(terms, [*own, *(near for _, near in others)])
        for (own, _), others in zip(notes, around, strict=True)
    ]
    assert found == expected
    scores, attainable = bm25(terms, dict(zip("abcdef", found, strict=False)))
    wanted, most = bm25(terms, dict(zip("abcdef", expected, strict=False)))
    assert attainable == pytest.approx(most, abs=1e-9)
    assert scores == pytest.approx(wanted, abs=1e-9)


def test_a_word_is_counted_so_often_and_no_more() -> None:
    index = index_of(["kiln " * (MOST + 10)], "", Language.ENGLISH)
    assert count_words(["kiln"], [index], [[]]) == [(MOST, {"kiln": MOST})]


def test_what_only_the_neighbours_take_is_no_word_of_the_note() -> None:
    index = index_of(["rain"], "Ruta rain", Language.ENGLISH)
    assert count_words(["ruta", "rain"], [index], [()]) == [(1, {"rain": 1})]
    assert count_words(["ruta"], [index], [[index]]) == [(3, {"ruta": 1})]
