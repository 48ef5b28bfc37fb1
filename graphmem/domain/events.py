"""Events: what changed, told to those who may know of it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Event:
    """One change, as told to those who may know of it; never with a note's text."""

    id: str
    seq: int
    at: datetime
    type: str
    channel: str
    actor: str
    subject_id: str | None
    domain: str | None
    summary: str
    data: object
