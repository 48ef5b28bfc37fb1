"""RELEVANCE (Moltbot 11.3) and TIERED (Tiered Memory, search weighting)."""

from datetime import datetime

from graphmem.domain.activation import DECAY
from graphmem.domain.decay import Decay
from graphmem.domain.notes import Note
from graphmem.domain.profiles.parameters import Tiered
from graphmem.domain.profiles.why import Why
from graphmem.domain.strength import relevance_of

SIMILARITY_SHARE = 0.7  # DIFF-23
KEYWORD_SHARE = 0.3


def relevance_weighted(
    note: Note, similarity: float, keyword: float, now: datetime, decay: Decay = DECAY
) -> Why:
    """Return search score · min(1, relevance) (Moltbot 11.3, DIFF-9). `keyword` is 0..1."""
    meant, said = search_parts(similarity, keyword)
    capped = min(1.0, relevance_of(note, now, decay))
    return Why(
        similarity=similarity,
        keyword=keyword,
        relevance=capped,
        formula=(("similarity", meant * capped), ("keyword", said * capped)),
    )


def search_parts(similarity: float, keyword: float) -> tuple[float, float]:
    """Return what meaning and words add to the search score, each within 0..1 (DIFF-23).

    The search score is 0.7 · cosine + 0.3 · keyword score."""
    meant, said = (min(max(value, 0.0), 1.0) for value in (similarity, keyword))
    return SIMILARITY_SHARE * meant, KEYWORD_SHARE * said


def tier_weighted(note: Note, similarity: float, given: Tiered) -> Why:
    """Return similarity · weight of the tier; the part of the weight is what it adds or takes."""
    weight = given.weight(note.tier)
    return Why(
        similarity=similarity,
        tier_weight=weight,
        formula=(("similarity", similarity), ("tierWeight", similarity * (weight - 1))),
    )
