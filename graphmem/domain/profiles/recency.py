"""RECENCY (L3): temporal decay and the boost of related notes."""

from dataclasses import replace
from datetime import datetime
from math import exp, log

from graphmem.domain.notes import Note, Validity
from graphmem.domain.profiles.parameters import TemporalDecay
from graphmem.domain.profiles.why import Why

RELATED = "related"  # kind of the links made by maintenance


def recency(note: Note, now: datetime, given: TemporalDecay) -> float:
    """Return exp(-ln 2 / half-life · hours since the last access, or since creation).

    At least the smallest score; 1 for exempt notes (L3, component 2)."""
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


def score_with_recency(note: Note, similarity: float, now: datetime, given: TemporalDecay) -> Why:
    """Return (1 - w) · similarity + w · recency (L3, component 2); the similarity if it is off."""
    if not given.enabled:
        return Why(similarity=similarity, formula=(("similarity", similarity),))
    fresh, weight = recency(note, now, given), given.decay_weight
    return Why(
        similarity=similarity,
        recency=fresh,
        formula=(("similarity", (1 - weight) * similarity), ("recency", weight * fresh)),
    )


def add_related_boost(why: Why, boost: float) -> Why:
    """Return the score with the boost of a note linked to one of the best (L3, component 5)."""
    return replace(why, related_boost=boost, formula=(*why.summands, ("relatedBoost", boost)))
