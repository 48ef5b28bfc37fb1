"""Questions for the full-text index.

Each term counts the same wherever it is found: Lucene's own scores count everybody's notes, so one
user's words would move another's candidates. A range from a term to itself scores a constant, and
terms are quoted, so nothing that a person types is syntax."""

from collections.abc import Sequence

from graphmem.domain.visibility import Audience

MAX_TERMS = 32
MAX_AUDIENCES = 800  # a query takes 1,024 clauses at most
_FIELDS = ("content", "title", "speaker")


def lucene_queries(terms: Sequence[str], audiences: Sequence[Audience]) -> list[str]:
    """Notes for these readers with any of the terms (stems, as the index has them): one query for
    each 800 audiences, so that notes of others never take the places of those that count."""
    kept = list(dict.fromkeys(terms))[:MAX_TERMS]
    tokens = sorted(audience.token for audience in audiences)
    if not kept:
        return []
    return [
        _query(kept, tokens[start : start + MAX_AUDIENCES])
        for start in range(0, len(tokens), MAX_AUDIENCES)
    ]


def _query(kept: Sequence[str], tokens: Sequence[str]) -> str:
    wanted = " ".join(
        f'{field}:["{term}" TO "{term}"]' for term in kept for field in _FIELDS if '"' not in term
    )
    return f"+audienceToken:({' '.join(tokens)})^0 +({wanted})"
