"""Promotion: a note's content becomes knowledge of a team (MUMA 7.4)."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphmem.domain.ids import is_within
from graphmem.domain.visibility import Visibility

HIGH_ACTIVATION = -1.0
ALIKE = 0.85  # cosine from which another member's note says much the same
USING_AGENTS = 2  # agents of the user that recalled the note
MAX_OPT_OUTS = 200
MOST_LOOKED_AT = 100  # pairs of a user's note and a team in one run, the most used notes first
PROMOTABLE = (Visibility.OPEN, Visibility.SCOPED)
OPTED_OUT = "the user keeps this domain out of promotion"
LEFT = "whose note it is has left the team"


@dataclass(frozen=True, kw_only=True)
class TeamText:
    """The text of a note for a team, and for a procedure the name of the skill."""

    content: str
    title: str | None = None


@dataclass(frozen=True, kw_only=True)
class Promotion:
    """The rules for the notes that the weekly job proposes."""

    high_activation: float = HIGH_ACTIVATION
    """`promote_knowledge`: notes with an activation above this"""

    def __post_init__(self) -> None:
        """Raise ValueError for a number out of range."""
        if not -100 <= self.high_activation <= 100:
            raise ValueError("high_activation must be from -100 to 100")


def is_kept_out(domain: str, opt_outs: Iterable[str]) -> bool:
    """Check whether a user keeps the domain out of promotion."""
    return any(is_within(domain, each) for each in opt_outs)
