"""Conflicts between notes in the graph."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.ids import uuid7
from graphmem.store.graph import Step

CONTRADICTORY = "CONTRADICTORY"


def open_step(
    user: str, pairs: Sequence[tuple[str, str, float]], verdict: str, now: datetime
) -> Step:
    """Records conflicts of (note, note, cosine), once for each pair."""
    rows = [
        {
            "id": uuid7(now),
            "pair": "|".join(sorted((one, other))),
            "one": one,
            "other": other,
            "similarity": similarity,
            "verdict": verdict,
        }
        for one, other, similarity in pairs
    ]
    return Step("conflicts/open", {"rows": rows, "user": user, "now": now})
