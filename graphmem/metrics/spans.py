"""Spans of OpenTelemetry, which the extra `graphmem[otel]` brings: this module is loaded only where
traces are wanted."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from graphmem.errors import GraphmemError
from graphmem.services.meter import Spans

NAME: Final = "graphmem"


class TracedSpans(Spans):
    """Makes spans by a tracer."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def open(
        self, name: str, labels: Mapping[str, str], trace: str | None = None
    ) -> Iterator[Callable[[str, int], None]]:
        """See `Spans.open`."""
        given: dict[str, Any] = {"attributes": dict(labels)}
        if trace is not None:
            given["kind"] = SpanKind.SERVER
            given["context"] = self._propagator.extract({"traceparent": trace})
        # What it would record of an exception by itself may hold what somebody wrote.
        given |= {"record_exception": False, "set_status_on_exception": False}
        with self._tracer.start_as_current_span(name, **given) as span:
            try:
                yield span.set_attribute
            except Exception as error:
                code = error.code if isinstance(error, GraphmemError) else type(error).__name__
                span.set_status(StatusCode.ERROR, code)
                raise


def open_provider(service: str) -> TracerProvider:
    """Return what makes spans and sends them as the variables of OpenTelemetry say.

    It is not made the one of the whole process: other packages would send spans by it, too, with
    what they were given."""
    resource = Resource.create({SERVICE_NAME: service})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
