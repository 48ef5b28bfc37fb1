"""The vocabulary of relations: that of Moltbot 6.3 and what the extractor adds.

A pair such as `part-of` and `contains` is stored in one direction only, so that both spellings
are one relation. Entity.relations finds it from either end, and Relation.inverse is the word to
show at its object. Predicates outside the vocabulary stay as given."""

from types import MappingProxyType
from typing import Final

INVERSES: Final = MappingProxyType(
    {
        "used-by": "uses",
        "contains": "part-of",
        "followed-by": "preceded-by",
        "developed-by": "develops",
        "required-by": "depends-on",
        "superseded-by": "supersedes",
        "managed-by": "manages",
        "reports-to": "manages",
        "employs": "works-at",
        "led-by": "leads",
        "owned-by": "owns",
        "founded-by": "founded",
        "child-of": "parent-of",
    }
)
"""Maps a predicate that isn't stored to its inverse, which is, with subject and object swapped."""

SYMMETRIC: Final = frozenset(
    {"married-to", "partner-of", "friend-of", "sibling-of", "works-with", "relates-to"}
)
"""Predicates with the same meaning from both ends."""

PREDICATES: Final = (
    frozenset(INVERSES.values())
    | SYMMETRIC
    | {
        "decided-on",
        "prefers",
        "avoids",
        "confident-about",
        "uncertain-about",
        "lives-in",
        "located-in",
        "born-in",
        "studies-at",
        "has-role",
        "has-condition",
        "allergic-to",
        "attended",
        "visited",
    }
)
"""The stored predicates of the vocabulary."""

_INVERSE_OF: Final = MappingProxyType(
    {stored: inverse for inverse, stored in reversed(tuple(INVERSES.items()))}
)


def in_one_direction(subject: str, predicate: str, target: str) -> tuple[str, str, str]:
    """Return subject, predicate and object as stored; an inverse predicate is turned round."""
    stored = INVERSES.get(predicate)
    return (subject, predicate, target) if stored is None else (target, stored, subject)


def inverse(predicate: str) -> str | None:
    """Return the word for a stored predicate seen from its object; None if there is none."""
    return predicate if predicate in SYMMETRIC else _INVERSE_OF.get(predicate)
