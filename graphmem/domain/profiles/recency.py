"""RECENCY (L3): query expansion, temporal decay and the boost of related notes."""

import re
from dataclasses import replace
from datetime import datetime
from math import exp, log
from typing import Final

from graphmem.domain.notes import Note, Validity
from graphmem.domain.profiles.parameters import QueryExpansion, TemporalDecay
from graphmem.domain.profiles.why import ByFormula

STOP_WORDS: Final = frozenset(
    "the a an is are was were be been being have has had do does did will would could should may "
    "might shall can to of in for on with at by from it this that these those i you he she we they "
    "me him her us them my your his its our their and or but not no if then so just about up out "
    "how what when where who which there here all each some any into as".split()
)
"""The stop words of L3's component 1."""

_WORD = re.compile(r"\b\w+\b")
_SHORT = 2  # letters of words that are left out
RELATED = "related"  # the kind of the links that maintenance makes


def extract_keywords(text: str, most: int = 12) -> str:
    """The words of a text without stop words and words of one or two letters, the first 12."""
    words = [word for word in _WORD.findall(text.lower()) if len(word) > _SHORT]
    return " ".join([word for word in words if word not in STOP_WORDS][:most])


def wordings(message: str, domain: str, given: QueryExpansion) -> tuple[str, ...]:
    """What is searched for: the message, its keywords, and the keywords in their domain. A message
    without keywords is searched for alone."""
    keywords = extract_keywords(message, given.max_keywords)
    if not (given.enabled and keywords):
        return (message,)
    found = [message]
    if given.use_keyword_extraction:
        found.append(keywords)
    if given.use_domain_scoping:
        found.append(f"{domain}: {keywords}")
    return tuple(found)


def recency(note: Note, now: datetime, given: TemporalDecay) -> float:
    """exp(-ln 2 / half-life · hours since the last access, or since creation), at least the
    smallest score; 1 for what is exempt (L3, component 2)."""
    if _is_exempt(note, given):
        return 1.0
    used = note.last_accessed_at or note.created_at
    hours = max((now - used).total_seconds(), 0.0) / 3600
    return max(given.min_recency_score, exp(-log(2) / given.half_life_hours * hours))


def _is_exempt(note: Note, given: TemporalDecay) -> bool:
    words = {
        Validity.CONFIRMED: "confirmed",
        Validity.ASSERTED: "user_asserted",
        Validity.INFERRED: "agent_inferred",
        Validity.DEPRECATED: "deprecated",
    }
    by_validity = words[note.validity] in (*given.exempt_sources, *given.exempt_validities)
    return by_validity or (note.load_bearing and "load_bearing" in given.exempt_utilities)


def decayed(note: Note, similarity: float, now: datetime, given: TemporalDecay) -> ByFormula:
    """(1 - w) · similarity + w · recency (L3, component 2); the similarity where it is off."""
    if not given.enabled:
        return ByFormula(similarity=similarity, parts=(("similarity", similarity),))
    fresh, weight = recency(note, now, given), given.decay_weight
    return ByFormula(
        similarity=similarity,
        recency=fresh,
        parts=(("similarity", (1 - weight) * similarity), ("recency", weight * fresh)),
    )


def boosted(why: ByFormula, boost: float) -> ByFormula:
    """With the boost of a note that is linked to one of the best (L3, component 5)."""
    return replace(why, related_boost=boost, parts=(*why.parts, ("relatedBoost", boost)))
