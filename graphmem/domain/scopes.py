"""How far a read goes, and how far it should go."""

from enum import StrEnum

UNSURE = 0.3  # confidence of an answer below which nothing fits (MOLT-92)


class Scope(StrEnum):
    """The extent of a read."""

    LOCAL = "LOCAL"
    USER = "USER"
    TEAM = "TEAM"


def suggest_scope(asked: Scope, confidence: float) -> Scope:
    """Return where to look for an answer after a read of `asked` (MUMA 11).

    A level is asked only if the one before it found nothing, so it is the next wider one if
    nothing fits; otherwise it is no wider than the level that has what fits, which for a team's
    scope is the user's own."""
    if confidence < UNSURE:
        return Scope.USER if asked is Scope.LOCAL else Scope.TEAM
    return Scope.USER if asked is Scope.TEAM else asked
