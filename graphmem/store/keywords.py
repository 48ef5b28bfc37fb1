"""Questions for the full-text index.

Each term counts the same wherever it is found: Lucene's own scores count everybody's notes, so one
user's words would move another's candidates. A range from a term to itself scores a constant, and
terms are quoted, so nothing that a person types is syntax."""

from collections.abc import Sequence

from graphmem.domain.visibility import Audience, owner_token

MAX_TERMS = 32
MAX_AUDIENCES = 800  # a query takes 1,024 clauses at most
_FIELDS = ("content", "title", "speaker")
NOTHING = "audienceToken:none"


def lucene_query(terms: Sequence[str], audiences: Sequence[Audience], owner: str) -> str:
    """Notes for these readers with any of the terms (stems, as the index has them).

    With very many audiences the owner's word stands for all; the query checks each note's audience
    in any case."""
    kept = list(dict.fromkeys(terms))[:MAX_TERMS]
    if not kept or not audiences:
        return NOTHING
    tokens = [audience.token for audience in audiences]
    if len(tokens) > MAX_AUDIENCES:
        tokens = [owner_token(owner)]
    wanted = " ".join(
        f'{field}:["{term}" TO "{term}"]' for term in kept for field in _FIELDS if '"' not in term
    )
    return f"+audienceToken:({' '.join(tokens)})^0 +({wanted})"
