"""Alerts about the files that agents depend on, in the API."""

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import object_type
from graphmem.operations.commands.alerts import ConfirmAlert, ListAlerts
from graphmem.operations.presenters import alerts

Alert = object_type(alerts.Alert)


@strawberry.type
class AlertQuery:
    """Reading alerts."""

    alerts = query_of(ListAlerts, list[Alert])


@strawberry.type
class AlertMutation:
    """Answering alerts."""

    confirm_alert = mutation_of(ConfirmAlert, list[Alert])
