"""Puts what was counted into the form of Prometheus."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from graphmem.domain.jobs import RunStatus
from graphmem.metrics import table
from graphmem.metrics.table import METERED, PREFIX, Kind, Metric
from graphmem.services.context import Context
from graphmem.services.health import GraphHealth, encoded_by, queues_of
from graphmem.services.meter import BOUNDS_S, Meter, Times

T = TypeVar("T")
Values = Mapping[tuple[str, ...], float]
FAMILIES: Final[Mapping[Kind, type[CounterMetricFamily | GaugeMetricFamily]]] = {
    Kind.COUNTER: CounterMetricFamily,
    Kind.GAUGE: GaugeMetricFamily,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Exported(Collector):
    """The metrics of a process at a moment."""

    context: Context
    graph: GraphHealth | None
    streams: int
    version: str

    def collect(self) -> Iterator[Family]:
        """Yield each metric with its values."""
        yield from _meter_families(self.context.meter)
        yield _family(table.INFO, {(self.version,): 1})
        yield from self._of_process()
        yield _family(table.DATABASE_UP, {(): int(self.graph is not None)})
        if self.graph is not None:
            yield from _of_graph(self.graph)

    def _of_process(self) -> Iterator[Family]:
        context, graph, encoded = self.context, self.graph, encoded_by(self.context)
        for_llm = None if graph is None else graph.for_llm
        waiting = queues_of(context) | ({} if for_llm is None else {"llm": for_llm})
        yield _family(table.POOL_IN_USE, {(): context.graph.in_use.count})
        yield _family(table.POOL_MOST, {(): context.graph.in_use.most})
        yield _family(table.WAITING, {(queue,): many for queue, many in waiting.items()})
        yield _family(table.ENCODED, {(kind,): each.texts for kind, each in encoded.items()})
        yield _family(table.ENCODING, {(kind,): each.seconds for kind, each in encoded.items()})
        yield _family(table.SUBSCRIBERS, {(): context.bus.subscribers})
        yield _family(table.STREAMS, {(): self.streams})
        yield _family(table.RUNNING, {(): context.runs.count})


def registry_of(exported: Collector) -> CollectorRegistry:
    """Return a registry of these metrics alone."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(exported)
    return registry


def _meter_families(meter: Meter) -> Iterator[Family]:
    for name, metric in METERED.items():
        if metric.kind is Kind.HISTOGRAM:
            yield _histogram(metric, _by_label(meter.times, name))
        else:
            yield _family(metric, dict(_by_label(meter.counts, name)))


def _by_label(found: Mapping[tuple[str, ...], T], name: str) -> Iterable[tuple[tuple[str, ...], T]]:
    return [(key[1:], value) for key, value in found.items() if key[0] == name]


def _of_graph(graph: GraphHealth) -> Iterator[Family]:
    yield _family(table.NOTES, {(status,): many for status, many in graph.notes.items()})
    runs = {(job.name,): job.run for job in graph.jobs if job.run is not None}
    failed = {name: int(run.status is RunStatus.FAILED) for name, run in runs.items()}
    ended = {name: run.finished_at.timestamp() for name, run in runs.items() if run.finished_at}
    yield _family(table.JOB_FAILED, failed)
    yield _family(table.JOB_ENDED, ended)
    yield _family(table.JOB_OVERDUE, {(job.name,): job.overdue_s for job in graph.jobs})


def _family(metric: Metric, values: Values) -> Family:
    family = FAMILIES[metric.kind](PREFIX + metric.name, metric.about, labels=metric.labels)
    for labels, value in values.items():
        family.add_metric(labels, value)
    return family


def _histogram(metric: Metric, values: Iterable[tuple[tuple[str, ...], Times]]) -> Family:
    family = HistogramMetricFamily(PREFIX + metric.name, metric.about, labels=metric.labels)
    bounds = [*map(str, BOUNDS_S), "+Inf"]
    for labels, times in values:
        buckets = zip(bounds, accumulate(times.buckets), strict=True)
        family.add_metric(labels, list(buckets), times.sum_s)
    return family
