"""The words by which a question asks for a relation.

They are those of the predicate, and others of similar meaning, such as "employer" for
`works-at`."""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from graphmem.language.analysis import english_terms

PREDICATES: Final = 4_096  # predicates whose terms are cached


def share_asked(terms: frozenset[str], predicate: str) -> float:
    """Return how much a question, given by its terms, asks for relations of a predicate, 0..1.

    It is the share of the predicate's words that it has, or 1 if it has another word for the
    predicate."""
    own = terms_of(predicate)
    if not other_terms(predicate).isdisjoint(terms):
        return 1.0
    return len(own & terms) / len(own) if own else 0.0


@lru_cache(maxsize=PREDICATES)
def terms_of(predicate: str) -> frozenset[str]:
    """Return the terms of a predicate's own words; predicates come from notes."""
    return frozenset(english_terms(predicate))


def other_terms(predicate: str) -> frozenset[str]:
    """Return the terms of the other words for a predicate of the vocabulary; empty for others."""
    return _load_other_terms().get(predicate, frozenset())


@cache
def _load_other_terms() -> Mapping[str, frozenset[str]]:
    text = (files("graphmem.language.lexicon") / "predicates.txt").read_text("utf-8")
    lines = (line.split(":") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType(
        {name.strip(): frozenset(english_terms(words.replace(",", " "))) for name, words in lines}
    )


CACHES: Final = (terms_of,)
"""The cached readings of texts; see `services/caches`."""
