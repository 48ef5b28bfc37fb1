"""Alerts about the files that agents depend on, in the API."""

from datetime import datetime

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.operations.commands.alerts import ConfirmAlert, ListAlerts


@strawberry.type
class Alert:
    """A file that agents depend on was changed since the user confirmed it, or destroyed by
    somebody else: ask the user."""

    file: str
    """its name, such as `SOUL`"""
    note_id: strawberry.ID
    version: int
    """that of the file now, or that it had, for `confirmAlert`"""
    at: datetime
    by: list[str]
    """the actors"""
    diff: str
    """the lines that went, after "-", and that came, after "+", shortened"""
    question: str


@strawberry.type
class AlertQuery:
    """Reading alerts."""

    alerts = query_of(ListAlerts, list[Alert])


@strawberry.type
class AlertMutation:
    """Answering alerts."""

    confirm_alert = mutation_of(ConfirmAlert, list[Alert])
