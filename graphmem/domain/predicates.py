"""The words for relations: the vocabulary of Moltbot 6.3 and those that the extractor adds.

A pair such as `part-of` and `contains` is stored in one direction only, so that both spellings are
one relation. Entity.relations finds it from either end, and Relation.inverse is the word to show at
its object. Predicates outside the vocabulary stay as given."""

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
"""A predicate that isn't stored, and the one that is, which has subject and object exchanged."""

SYMMETRIC: Final = frozenset(
    {"married-to", "partner-of", "friend-of", "sibling-of", "works-with", "relates-to"}
)
"""Predicates that say the same from both ends."""

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

_SHOWN: Final = MappingProxyType(
    {stored: inverse for inverse, stored in reversed(tuple(INVERSES.items()))}
)


def in_one_direction(subject: str, predicate: str, target: str) -> tuple[str, str, str]:
    """Subject, predicate and object as they are stored; an inverse predicate is turned round."""
    stored = INVERSES.get(predicate)
    return (subject, predicate, target) if stored is None else (target, stored, subject)


def inverse(predicate: str) -> str | None:
    """The word for a stored predicate as seen from its object; None when there is none."""
    return predicate if predicate in SYMMETRIC else _SHOWN.get(predicate)
