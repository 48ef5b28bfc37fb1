"""Notes that rules hold to be copies of others with the same readers."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

WAIT: Final = timedelta(days=1)  # from when rules hold notes to be copies until they are merged


@dataclass(frozen=True, kw_only=True)
class NoteCopy:
    """A verdict of rules: one note is a copy of another with the same readers; `at`: since when
    they hold so."""

    copy: str
    note: str
    cosine: float
    rule: str
    at: datetime

    @property
    def merges_at(self) -> datetime:
        """The time from which the job merges the two unless somebody refuses."""
        return self.at + WAIT
