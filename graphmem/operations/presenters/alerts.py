"""Alerts about the files that agents depend on."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import alerts


@dataclass(frozen=True, kw_only=True)
class Alert:
    """A file that agents depend on was changed since the user confirmed it, or destroyed by
    somebody else: ask the user."""

    file: str
    """its name, such as `SOUL`"""
    note_id: str
    version: int
    """that of the file now, or that it had, for `confirmAlert`"""
    at: datetime
    by: tuple[str, ...]
    """the actors"""
    diff: str
    """the lines that went, after "-", and that came, after "+", shortened"""
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
