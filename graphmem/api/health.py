"""Health and settings in the API: for admins, since they are about everybody."""

import strawberry

from graphmem.api.fields import query_of
from graphmem.api.scalars import JSON, Long
from graphmem.operations.commands.health import GetHealth, ListSettings


@strawberry.type
class Part:
    """A part that graphmem is made of, with its version and licence."""

    name: str
    version: str
    license: str


@strawberry.type
class Timing:
    """How often something was done since the start, how often it ended with an error, and how long
    it took: in half of the cases, and in 95 of 100, at most so many milliseconds; null if that is
    above 10 s."""

    name: str
    count: int
    failures: int
    median_ms: float | None
    p95_ms: float | None


@strawberry.type
class DatabaseHealth:
    """Neo4j: its version, the nodes of everybody by label, the relationships, and the indexes that
    can't be used yet."""

    version: str
    nodes: JSON
    relationships: Long
    building: list[str]


@strawberry.type
class Health:
    """How the process that answers is, and its database. `lagMs`: by how much its event loop was
    late, at most, in 99 of 100 looks. `queues`: what waits, by the name of the queue."""

    version: str
    uptime_s: int
    model: str
    dimension: int
    database: DatabaseHealth
    operations: list[Timing]
    stages: list[Timing]
    lag_ms: float | None
    queues: JSON
    connections_in_use: int
    connections_most: int
    subscribers: int
    parts: list[Part]


@strawberry.type
class Setting:
    """A setting: its variable, its value, and what it means. `isSet`: it was given, and is not the
    default. The value of a secret is null."""

    name: str
    value: str | None
    is_set: bool
    secret: bool
    about: str


@strawberry.type
class HealthQuery:
    """Reading how the service is."""

    health = query_of(GetHealth, Health)
    settings = query_of(ListSettings, list[Setting])
