"""Alerts about the files that agents depend on."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import alerts


@dataclass(frozen=True, kw_only=True)
class Alert:
    """A change, not confirmed by the user, of a file that agents depend on: the note, its present
    version, who changed it, the lines that were removed ("-") and added ("+"), and the question for
    the user. For a destroyed file, its id and last version, and no lines."""

    file: str
    note_id: str
    version: int
    at: datetime
    by: tuple[str, ...]
    diff: str
    question: str


def alert_of(alert: alerts.Alert | alerts.LostFile) -> Alert:
    """Return the alert about a file."""
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
