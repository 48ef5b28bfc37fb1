"""Queries for the full-text index.

Each term counts the same wherever it is found: Lucene's own scores count the notes of all users, so
one user's words would change the candidates of another. A range from a term to itself scores a
constant, and terms are quoted, so nothing that a person types is read as syntax.

The index cuts and stems texts by the rules of English. So the terms that a text in another language
has by its own rules are stored with the note, each as one word that these rules do not change."""

from collections.abc import Iterable, Sequence
from itertools import islice

from graphmem.domain.visibility import Audience
from graphmem.language.scripts import is_one_word

MAX_TERMS = 32
MOST_KEPT = 16_384  # terms of a note
MAX_OWN = 64  # terms by the rules of another language; only one field has them
MAX_AUDIENCES = 800  # a query takes 1,024 clauses at most
_FIELDS = ("content", "title", "speaker")


def lucene_queries(
    terms: Sequence[str], audiences: Sequence[Audience], own: Sequence[str] = ()
) -> list[str]:
    """Return queries for notes of these readers with any of the terms (stems, as in the index), or
    any of the terms that a question in another language has by its `own` rules: one query for each
    800 audiences, so that notes of other readers never displace those that count."""
    kept = [
        f'{field}:["{term}" TO "{term}"]'
        for term in list(dict.fromkeys(terms))[:MAX_TERMS]
        for field in _FIELDS
        if '"' not in term
    ]
    kept += [f'terms:["{word}" TO "{word}"]' for word in map(one_word, own[:MAX_OWN])]
    tokens = sorted(audience.token for audience in audiences)
    if not kept:
        return []
    return [
        _build_query(kept, tokens[start : start + MAX_AUDIENCES])
        for start in range(0, len(tokens), MAX_AUDIENCES)
    ]


def one_word(term: str) -> str:
    """Return a term as a word that the full-text index neither cuts nor stems."""
    plain = is_one_word(term)
    return f"{term if plain else 'x' + ''.join(f'{ord(letter):04x}' for letter in term)}0"


def words_kept(terms: Iterable[str]) -> str | None:
    """Return terms as the text that a note stores for the full-text index, None if there are none;
    only the first MOST_KEPT, which is more than a usual text has."""
    return " ".join(map(one_word, islice(terms, MOST_KEPT))) or None


def _build_query(kept: Sequence[str], tokens: Sequence[str]) -> str:
    return f"+audienceToken:({' '.join(tokens)})^0 +({' '.join(kept)})"
