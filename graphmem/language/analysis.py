"""Cuts a text into the terms that the database's full-text index has for it.

`analyse` returns the terms of Lucene's `english` analyzer (standard tokenizer, possessive removed,
lower case, stop words removed, Porter's stemmer): a term counted here is a term found there. Two
known differences: emoji are left out, and words over 255 characters aren't cut.

A text in another language, or with words in another script, also has the terms of `own_terms`,
which the graph keeps with a note. It keeps the English ones, too: a question of a few words, or
one in English about a name, does not show the language of the notes it is about."""

import re
import threading
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

import Stemmer

from graphmem.language import lexicon
from graphmem.language.languages import Language, is_foreign, language_of
from graphmem.language.own_terms import has_own_terms, is_left_out, own_terms
from graphmem.language.tokenizer import Tokens, tokens_in

# Characters; longer pieces, such as whole sentences of Chinese, hardly recur and are not cached.
LONGEST_PIECE: Final = 64

STOP_WORDS: Final = lexicon.STOP_WORDS["index"]
"""The 33 words that Lucene's `english` analyzer drops."""

QUESTION_WORDS: Final = lexicon.STOP_WORDS["questions"]
"""Interrogatives and auxiliary verbs: they show that something is asked, not what."""

_POSSESSIVES: Final = ("'s", "’s")  # noqa: RUF001
# A vowel and then a consonant: what Porter calls a measure above 0.
_MEASURE_ABOVE_0: Final = re.compile(r"[aeiou][^aeiou]|(?<=[^aeiouy])y[^aeiouy]")
# Lucene follows Porter's own program, which has two rules that are not in his paper.
_LUCENE_ENDINGS: Final = (("bly", "ble"), ("blies", "ble"), ("logy", "log"), ("logies", "log"))


class _ThreadStemmer(threading.local):
    """One stemmer for each thread, because a stemmer keeps a buffer of its own."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("porter").stemWord


_STEMMER: Final = _ThreadStemmer()


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in order: lower case, no possessive, not stemmed."""
    found = tuple(map(_strip_possessive, _tokens(text)))
    return tuple(filter(None, found)) if "" in found else found


def analyse(text: str, language: Language | None = None) -> tuple[str, ...]:
    """Return the terms of a text in order, without stop words, as in the full-text index.

    A text that is not English also has those of its own language after them. `language`: that of
    the text; None: the one that it seems to be in."""
    spoken = language or language_of(text)
    return _analyse_foreign(text, spoken) if has_own_terms(text, spoken) else english_terms(text)


def search_terms(text: str, language: Language) -> tuple[str, ...]:
    """Return the terms of a text that is searched for.

    They are those of `analyse`, and those of the words that its long ones may consist of."""
    if not has_own_terms(text, language):
        return english_terms(text)
    return _analyse_foreign(text, language, parts=True)


def own_words(
    text: str, language: Language | None = None, *, parts: bool = False
) -> tuple[str, ...]:
    """Return the terms of a text by the rules of its own language, each once; none in English.

    `parts`: also those of the words that long ones may consist of."""
    spoken = language or language_of(text)
    if not has_own_terms(text, spoken):
        return ()
    found = (terms for _, terms in own_terms(text, spoken, parts=parts))
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def question_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a question that say what it asks for.

    If it has only question words, all of them."""
    spoken = language_of(text)
    if is_foreign(spoken):
        return analyse(text, spoken) or english_terms(text)
    terms = filter(
        None, (_term(t) for t in _tokens(text) if _strip_possessive(t) not in QUESTION_WORDS)
    )
    return (*terms, *_list_foreign_terms(text, spoken)) or analyse(text, spoken)


def english_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text by the rules of English alone, whatever its language.

    They become keys, which must not change."""
    pieces = text.lower().split()
    if max(map(len, pieces), default=0) > LONGEST_PIECE:
        return tuple(filter(None, map(_term, _tokens(text))))
    # Each piece between blanks is cut and stemmed once, as the same words recur.
    return tuple(chain.from_iterable(map(_terms, pieces)))


def _analyse_foreign(text: str, language: Language, *, parts: bool = False) -> tuple[str, ...]:
    """Return the terms of a text with words that are not English."""
    terms = (_term(token) for token in _tokens(text) if not is_left_out(token, language))
    return (*filter(None, terms), *_list_foreign_terms(text, language, parts=parts))


def _list_foreign_terms(text: str, language: Language, *, parts: bool = False) -> Iterator[str]:
    """Yield the terms of words besides those by the rules of English."""
    if has_own_terms(text, language):
        for word, terms in own_terms(text, language, parts=parts):
            english = "" if is_left_out(word, language) else _term(word)
            yield from (term for term in terms if term != english)


def _tokens(text: str) -> list[str]:
    """Split a text into lower-case tokens."""
    return tokens_in(text.lower(), Tokens.INDEX)


def _strip_possessive(token: str) -> str:
    """Remove the possessive; a token of underscores only becomes empty."""
    if token.endswith(_POSSESSIVES):
        token = token[:-2]
    return token if token.strip("_") else ""


@lru_cache(maxsize=1 << 17)
def _terms(piece: str) -> tuple[str, ...]:
    """Return the terms of a lower-case text without blanks."""
    return tuple(filter(None, map(_short_term, _tokens(piece))))


def _term(token: str) -> str:
    """Return the stem of a token, or "" if the index leaves it out."""
    return _short_term(token) if len(token) <= LONGEST_PIECE else _stem_of(token)


@lru_cache(maxsize=1 << 17)
def _short_term(token: str) -> str:
    """Return the stem of a token short enough to be cached."""
    return _stem_of(token)


def _stem_of(token: str) -> str:
    word = _strip_possessive(token)
    if word in STOP_WORDS or len(word) < 3:
        return "" if word in STOP_WORDS else word
    return _STEMMER.stem(_apply_lucene_ending(word))


def _apply_lucene_ending(word: str) -> str:
    """Apply Lucene's additional endings before the stemmer, which doesn't know them."""
    for ending, replacement in _LUCENE_ENDINGS:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return stem + replacement if _MEASURE_ABOVE_0.search(stem) else word
    return word


CACHES: Final = (_terms, _short_term)
"""Caches that hold parts of texts; see `services/caches`."""
