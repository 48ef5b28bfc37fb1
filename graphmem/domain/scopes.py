"""How far a read goes, and how far it should go."""

from enum import StrEnum

UNSURE = 0.3  # confidence of an answer below which nothing fits (MOLT-92)


class Scope(StrEnum):
    """How far a read goes."""

    LOCAL = "LOCAL"
    USER = "USER"
    TEAM = "TEAM"


def suggested(asked: Scope, confidence: float) -> Scope:
    """Where to look for an answer after a read of `asked`: a level is asked only if the one before
    it found nothing (MUMA 11). So the next wider one where nothing fits; else no wider one than
    has what fits, which a team's scope has among the user's own."""
    if confidence < UNSURE:
        return Scope.USER if asked is Scope.LOCAL else Scope.TEAM
    return Scope.USER if asked is Scope.TEAM else asked
