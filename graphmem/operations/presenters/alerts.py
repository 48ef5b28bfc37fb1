"""Alerts about the files that agents live by."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import alerts


@dataclass(frozen=True, kw_only=True)
class Alert:
    """A file that agents live by was changed since the user confirmed it: the note, its version of
    now, by whom, the lines that went ("-") and came ("+"), and what to ask the user. Of one that
    was destroyed the id and the version that it had, and no line."""

    file: str
    note_id: str
    version: int
    at: datetime
    by: tuple[str, ...]
    diff: str
    question: str


def alert_of(alert: alerts.Alert | alerts.LostFile) -> Alert:
    """An alert about a file."""
    if isinstance(alert, alerts.LostFile):
        return Alert(
            file=alert.file,
            note_id=alert.id,
            version=alert.version,
            at=alert.at,
            by=(alert.by,),
            diff="",
            question=f"{alert.file} was destroyed on {alert.at:%Y-%m-%d}. Was this intentional?",
        )
    return Alert(
        file=alert.file,
        note_id=alert.note.id,
        version=alert.note.version,
        at=alert.at,
        by=alert.by,
        diff=alert.diff,
        question=f"{alert.file} was changed on {alert.at:%Y-%m-%d}. Was this intentional?",
    )
