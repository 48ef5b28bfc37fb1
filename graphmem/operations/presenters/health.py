"""How the service is, from what its meter has counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from graphmem.domain.described import Setting
from graphmem.operations.metering import OK
from graphmem.services.context import Context
from graphmem.services.health import Database, Part, parts_of, queues_of
from graphmem.services.meter import LAG, OPERATION, REQUESTS, STAGE, Meter, Times

__all__ = ["Database", "Health", "Part", "Setting", "Timing", "health_of"]


@dataclass(frozen=True, kw_only=True)
class Timing:
    """The times that something was done since the start, those that ended with an error, and how
    long it took."""

    name: str
    count: int
    failures: int
    """those that ended with an error, also by a fault of who asked"""
    median_ms: float | None
    """half of the cases took at most so many milliseconds; null if that is above 10 s"""
    p95_ms: float | None
    """the same for 95 of 100"""


@dataclass(frozen=True, kw_only=True)
class Health:
    """The state of the process that answers, and of its database."""

    version: str
    uptime_s: int
    model: str
    dimension: int
    database: Database
    operations: tuple[Timing, ...]
    stages: tuple[Timing, ...]
    lag_ms: float | None
    """by how much the event loop was late, at most, in 99 of 100 looks"""
    queues: Mapping[str, int]
    """the number that waits, by the name of the queue"""
    connections_in_use: int
    connections_most: int
    subscribers: int
    parts: tuple[Part, ...]


def health_of(context: Context, database: Database, uptime_s: float) -> Health:
    """Return how the service is."""
    meter, parts = context.meter, parts_of(database.version)
    lag = meter.times.get((LAG,))
    return Health(
        version=parts[0].version,
        uptime_s=int(uptime_s),
        model=context.embedder.model_id,
        dimension=context.embedder.dimension,
        database=database,
        operations=_timings(meter, OPERATION),
        stages=_timings(meter, STAGE),
        lag_ms=None if lag is None else _milliseconds(lag, 0.99),
        queues=queues_of(context),
        connections_in_use=context.graph.in_use.count,
        connections_most=context.graph.in_use.most,
        subscribers=context.bus.subscribers,
        parts=tuple(parts),
    )


def _timings(meter: Meter, kind: str) -> tuple[Timing, ...]:
    found = {key[1]: times for key, times in meter.times.items() if key[0] == kind}
    failures = dict.fromkeys(found, 0)
    for key, count in meter.counts.items():
        if key[0] == REQUESTS and key[3] != OK and key[2] in failures:
            failures[key[2]] += count
    return tuple(
        Timing(
            name=name,
            count=times.count,
            failures=failures[name],
            median_ms=_milliseconds(times, 0.5),
            p95_ms=_milliseconds(times, 0.95),
        )
        for name, times in sorted(found.items())
    )


def _milliseconds(times: Times, share: float) -> float | None:
    below = times.below(share)
    return None if below is None or below == inf else 1000 * below
