"""Health and settings in the API: for admins, since they are about everybody."""

import strawberry

from graphmem.api.fields import query_of
from graphmem.api.object_types import object_type
from graphmem.api.scalars import Long
from graphmem.operations.commands.health import GetHealth, ListSettings
from graphmem.operations.presenters import health

Part = object_type(health.Part)
Timing = object_type(health.Timing)
DatabaseHealth = object_type(health.Database, "DatabaseHealth", relationships=Long)
Health = object_type(
    health.Health, database=DatabaseHealth, operations=Timing, stages=Timing, parts=Part
)
Setting = object_type(health.Setting)


@strawberry.type
class HealthQuery:
    """Reading how the service is."""

    health = query_of(GetHealth, Health)
    settings = query_of(ListSettings, list[Setting])
