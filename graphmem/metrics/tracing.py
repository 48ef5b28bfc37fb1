"""Traces: a span for each request, operation and stage of a recall, sent to a collector.

A span has a name of ours, times, the protocol, and how it ended. What a request says, who sends it
and what is found are never in it, nor the message of an error."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, Final

from graphmem.services.meter import Meter, Spans

STOP_S: Final = 2.0  # a stop waits no longer for a collector that does not answer
ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_log = logging.getLogger(__name__)


@asynccontextmanager
async def traced(meter: Meter, environment: Mapping[str, str] = os.environ) -> AsyncIterator[None]:
    """Send spans to the collector that the variables of OpenTelemetry name, until the block ends.

    Where they name none, nothing is loaded and nothing is sent."""
    spans = await asyncio.to_thread(_load) if any(map(environment.get, ENDPOINTS)) else None
    if spans is None:
        yield
        return
    provider = spans.open_provider(environment.get("OTEL_SERVICE_NAME", spans.NAME))
    meter.spans = spans.TracedSpans(provider.get_tracer(spans.NAME))
    try:
        yield
    finally:
        meter.spans = Spans()
        # It sends what is left, for up to 10 seconds, while the service has more to save.
        sending = asyncio.ensure_future(asyncio.to_thread(provider.shutdown))
        await asyncio.wait([sending], timeout=STOP_S)


def _load() -> Any:
    """Return the module that needs OpenTelemetry, which takes a second to load; None without it."""
    try:
        return import_module("graphmem.metrics.spans")
    except ImportError:
        _log.warning("no spans are sent: install graphmem[otel]")
        return None
