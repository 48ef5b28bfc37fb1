"""Words that stand for numbers in pages (DIFF-11: high 0.9, medium 0.6, low 0.3)."""


def confidence_word(confidence: float) -> str:
    """Return high, medium or low: whichever stands for the nearest number."""
    if confidence >= 0.75:
        return "high"
    return "medium" if confidence >= 0.45 else "low"
