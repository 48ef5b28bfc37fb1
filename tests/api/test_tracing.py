"""Traces: which spans there are, that they hang together, and that no word of a request is in
them."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from clients import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from toy_service import serving

from graphmem.app import create_app
from graphmem.metrics import tracing
from graphmem.metrics.spans import TracedSpans
from graphmem.metrics.tracing import traced
from graphmem.operations.metering import Meter
from graphmem.services.context import Context
from graphmem.services.meter import Spans
from graphmem.settings import Settings

URL = "http://127.0.0.1:8321"
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
QUERY = "query zebraName($q: String!) { recall(input: {query: $q}) { id } }"
STAGES = {f"recall {stage}" for stage in ("encode", "search", "graph", "rank", "read")}


@asynccontextmanager
async def asked_of(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=URL, timeout=60) as http:
        yield http


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
async def followed(
    settings: Settings, context: Context, spans: InMemorySpanExporter
) -> AsyncIterator[httpx.AsyncClient]:
    """A service whose spans are kept."""
    provider, meter = TracerProvider(shutdown_on_exit=False), Meter()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    meter.spans = TracedSpans(provider.get_tracer("graphmem"))
    async with asked_of(create_app(settings, opened=replace(context, meter=meter))) as http:
        yield http


def named(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    [found] = [each for each in spans.get_finished_spans() if each.name == name]
    return found


@pytest.mark.feature("MUMA-110")
async def test_a_recall_is_a_span_of_the_request_with_its_stages_and_goes_on_a_trace(
    followed: httpx.AsyncClient, spans: InMemorySpanExporter, new_user: Callable[[], str]
) -> None:
    user = new_user()
    remembering = Client(followed, user)
    await remembering('mutation { remember(input: {content: "The kiln is blue."}) { noteId } }')
    spans.clear()
    body = {"query": QUERY, "variables": {"q": "Which kiln is blue?"}}
    headers = {"X-Graphmem-User": user, "traceparent": f"00-{TRACE}-{PARENT}-01"}
    assert "errors" not in (await followed.post("/graphql", json=body, headers=headers)).json()
    request, recall = named(spans, "POST graphql"), named(spans, "recall")
    assert request.parent is not None
    assert request.context is not None
    assert recall.parent is not None
    assert f"{request.parent.span_id:016x}" == PARENT
    assert recall.parent.span_id == request.context.span_id
    found = spans.get_finished_spans()
    assert {each.context.trace_id for each in found if each.context} == {int(TRACE, 16)}
    assert {each.name for each in found if "recall " in each.name} == STAGES
    for each in found:
        assert each.name not in STAGES or each.parent == recall.context
    assert dict(request.attributes or {}) == {
        "http.request.method": "POST",
        "http.response.status_code": 200,
    }
    assert dict(recall.attributes or {}) == {"graphmem.protocol": "graphql"}


async def test_no_span_holds_a_word_of_who_asks_or_what_is_asked(
    followed: httpx.AsyncClient, spans: InMemorySpanExporter, new_user: Callable[[], str]
) -> None:
    user, agent = new_user(), "zebra-agent"
    headers = {"X-Graphmem-User": user, "X-Graphmem-Agent": agent, "baggage": "zebra=1"}
    headers |= {"traceparent": "zebra", "tracestate": "zebra=1"}
    note = {"content": "The zebra is striped.", "domain": "zebra/zoo"}
    assert (await followed.post("/v1/remember", json=note, headers=headers)).status_code == 201
    for query, given in ((QUERY, {"q": "Where is the zebra?"}), ("{ zebra }", {})):
        body = {"query": query, "variables": given, "operationName": None}
        await followed.post("/graphql", json=body, headers=headers)
    for path in ("/v1/notes/zebra", "/v1/entities/zebra", "/zebra", "/v1/notes?text=zebra"):
        await followed.get(path, headers=headers)
    await followed.request("ZEBRA", "/v1/notes", headers=headers)
    found = spans.get_finished_spans()
    assert len(found) >= 12
    told = " ".join(each.to_json() for each in found)
    for word in ("zebra", "ZEBRA", user, "striped"):
        assert word not in told


async def test_a_failure_is_told_by_its_code_alone(
    followed: httpx.AsyncClient, spans: InMemorySpanExporter, new_user: Callable[[], str]
) -> None:
    client = Client(followed, new_user())
    code = await client.code('mutation { forget(id: "zebra", confirm: true) { forgotten } }')
    failed = named(spans, "forget")
    assert failed.status.description == code
    assert not failed.status.is_ok
    assert failed.events == ()


async def test_spans_are_sent_to_the_collector_that_is_named() -> None:
    told: list[ExportTraceServiceRequest] = []

    async def take(request: Request) -> Response:
        told.append(ExportTraceServiceRequest.FromString(await request.body()))
        return Response(media_type="application/x-protobuf")

    meter = Meter()
    collector = Starlette(routes=[Route("/v1/traces", take, methods=["POST"])])
    async with serving(collector) as address:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://{address}")
            patch.setattr(tracing, "STOP_S", 60.0)  # on a busy machine, sending may take long
            async with asyncio.timeout(90), traced(meter):
                assert isinstance(meter.spans, TracedSpans)
                assert await meter.stage("search", asyncio.sleep(0, "found")) == "found"
    assert type(meter.spans) is Spans
    [spans] = [scope.spans for each in told for scope in each.resource_spans[0].scope_spans]
    assert [span.name for span in spans] == ["recall search"]
    [name] = [
        each.value.string_value
        for each in told[0].resource_spans[0].resource.attributes
        if each.key == "service.name"
    ]
    assert name == "graphmem"


async def test_without_a_collector_nothing_is_sent_and_nothing_loaded() -> None:
    meter = Meter()
    async with traced(meter, {}):
        assert type(meter.spans) is Spans
    code = (
        "import sys, graphmem.metrics.tracing, graphmem.operations.metering\n"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    command = [sys.executable, "-c", code]
    done = await asyncio.to_thread(subprocess.run, command, timeout=60, check=False)
    assert done.returncode == 0


async def test_without_the_extra_the_service_runs_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "graphmem.metrics.spans", None)
    meter = Meter()
    async with traced(meter, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}):
        assert type(meter.spans) is Spans
    assert "install graphmem[otel]" in caplog.text


async def test_a_stop_does_not_wait_for_a_collector_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers, began = threading.Event(), threading.Event()

    def shutdown() -> None:
        began.set()
        answers.wait(60)

    provider = SimpleNamespace(shutdown=shutdown, get_tracer=lambda name: name)
    spans = SimpleNamespace(
        NAME="x", TracedSpans=lambda tracer: Spans(), open_provider=lambda service: provider
    )
    monkeypatch.setattr(tracing, "_load", lambda: spans)
    monkeypatch.setattr(tracing, "STOP_S", 0.05)
    try:
        async with traced(Meter(), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}):
            pass
        assert not answers.is_set()
    finally:
        answers.set()
    assert await asyncio.to_thread(began.wait, 60)
