"""`/metrics`: who gets them, what they count, and that no word of a request is in them."""

import asyncio
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import httpx
import pytest
from clients import Client
from prometheus_client.parser import text_string_to_metric_families

from graphmem.app import create_app
from graphmem.metrics.table import METRICS, PREFIX
from graphmem.operations.metering import Meter
from graphmem.services.context import Context
from graphmem.services.health import JobHealth, look_at_graph
from graphmem.services.keys import create_key
from graphmem.services.meter import LAG
from graphmem.settings import Settings

URL = "http://127.0.0.1:8321"
KEY = "a-key-for-prometheus-alone"
HOSTILE = 'zebra"} 1\ngraphmem_evil{a="'
QUERY = "query zebraName($q: String!) { recall(input: {query: $q}) { id } }"
Value = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(text: str) -> Value:
    """The values of metrics, by name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def named(values: Value, name: str, **labels: str) -> float:
    return values.get((PREFIX + name, tuple(sorted(labels.items()))), 0.0)


def serving(settings: Settings, context: Context) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=create_app(settings, opened=context))
    return httpx.AsyncClient(transport=transport, base_url=URL, timeout=60)


@pytest.fixture
async def metered(settings: Settings, context: Context) -> AsyncIterator[httpx.AsyncClient]:
    """A service whose meter nobody else uses."""
    async with serving(settings, replace(context, meter=Meter())) as http:
        yield http


@pytest.fixture
async def keyed(settings: Settings, context: Context) -> AsyncIterator[httpx.AsyncClient]:
    """The same with keys, and one for metrics alone."""
    given = {"auth": "keys", "metrics_key": KEY}
    made = Settings.model_validate({**settings.model_dump(), **given})
    async with serving(made, replace(context, meter=Meter())) as http:
        yield http


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def read_from(http: httpx.AsyncClient) -> Value:
    answer = await http.get("/metrics")
    assert answer.status_code == 200
    return read(answer.text)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
async def test_prometheus_finds_no_fault_in_them(metered: httpx.AsyncClient) -> None:
    text = (await metered.get("/metrics")).content
    command = ["promtool", "check", "metrics"]
    done = await asyncio.to_thread(
        subprocess.run, command, input=text, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.feature("MUMA-110")
async def test_operations_are_counted_by_protocol_and_outcome(
    metered: httpx.AsyncClient, new_user: Callable[[], str]
) -> None:
    user = new_user()
    api = Client(metered, user)
    await api('mutation { remember(input: {content: "The kiln is blue."}) { noteId } }')
    await api('{ recall(input: {query: "Which kiln?"}) { id } }')
    headers = {"X-Graphmem-User": user}
    await metered.post("/v1/recall", json={"query": "Which kiln?"}, headers=headers)
    await metered.get("/v1/notes/01920000-0000-7000-8000-000000000000", headers=headers)
    await metered.post("/graphql", json={"query": "{ nothing }"}, headers=headers)
    await metered.post("/graphql", json={"query": "{"}, headers=headers)
    found = await read_from(metered)
    asked = {"operation": "recall", "outcome": "OK"}
    assert named(found, "requests_total", protocol="graphql", **asked) == 1
    assert named(found, "requests_total", protocol="rest", **asked) == 1
    refused = {"protocol": "graphql", "operation": "other"}
    for code in ("GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED"):
        assert named(found, "requests_total", outcome=code, **refused) == 1
    assert named(found, "operation_seconds_count", operation="recall") == 2
    assert named(found, "operation_seconds_bucket", operation="recall", le="+Inf") == 2
    for stage in ("encode", "search", "rank", "read"):
        assert named(found, "recall_stage_seconds_count", stage=stage) == 2
    assert named(found, "http_answers_total", protocol="rest", status="200") == 1
    assert named(found, "http_answers_total", protocol="rest", status="404") == 1
    assert named(found, "database_up") == 1
    assert named(found, "database_connections_most") == 64
    assert named(found, "notes", status="ACTIVE") >= 1


async def test_agents_get_none_and_who_has_no_key_neither(
    keyed: httpx.AsyncClient, context: Context, new_user: Callable[[], str]
) -> None:
    user, status = new_user(), {}
    for who, given in {
        "user": {"user": user, "agent": None, "admin": False},
        "agent": {"user": user, "agent": "sales", "admin": False},
        "admin": {"user": user, "agent": None, "admin": True},
    }.items():
        _, secret = await create_key(context.graph, context.clock, **given)
        answer = await keyed.get("/metrics", headers=bearer(secret))
        status[who] = answer.status_code
        assert (answer.status_code == 200) == (PREFIX in answer.text)
    assert status == {"user": 403, "agent": 403, "admin": 200}
    for wrong in ({}, bearer("gm_nothing"), bearer(KEY[:-1]), bearer(KEY + "x"), bearer("")):
        answer = await keyed.get("/metrics", headers=wrong)
        assert answer.status_code == 401
        assert PREFIX not in answer.text
    assert (await keyed.get("/metrics", headers=bearer(KEY))).status_code == 200
    asked = {"query": "{ viewer { admin } }"}
    answer = await keyed.post("/graphql", json=asked, headers=bearer(KEY))
    assert answer.status_code == 401  # the key opens nothing else
    found = read((await keyed.get("/metrics", headers=bearer(KEY))).text)
    assert named(found, "refusals_total", code="UNAUTHENTICATED") == 6


async def test_an_agent_of_open_mode_gets_none(metered: httpx.AsyncClient) -> None:
    answer = await metered.get("/metrics", headers={"X-Graphmem-Agent": "sales"})
    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    for method in ("POST", "PUT", "DELETE"):
        assert (await metered.request(method, "/metrics")).status_code == 405
    answer = await metered.get("/metrics", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


async def test_no_word_of_a_request_is_in_a_label(
    metered: httpx.AsyncClient, new_user: Callable[[], str]
) -> None:
    headers = {"X-Graphmem-User": new_user(), "X-Graphmem-Agent": "zebra-agent"}

    async def post(path: str, body: object) -> None:
        await metered.post(path, json=body, headers=headers)

    note = {"content": f"A zebra. {HOSTILE}", "domain": "work/zebra", "tags": ["zebra"]}
    await post("/v1/remember", note)
    await post("/graphql", {"query": QUERY, "variables": {"q": HOSTILE}})
    await post("/graphql", {"query": QUERY, "variables": {"q": 1}, "operationName": HOSTILE})
    await post("/graphql", {"query": "{ zebra }"})
    await post("/graphql", {"query": f"{{ __typename }} # {HOSTILE}", "operationName": "zebra"})
    await post("/graphql", {"query": 'mutation { runJob(name: "zebra") { id } }'})
    await post("/v1/jobs/zebra/runs", {})
    await post("/v1/recall", {"query": HOSTILE, "zebra": 1})
    await post("/zebra/zebra", {})
    call = {"name": "zebra", "arguments": {"zebra": HOSTILE}}
    for method, params in (
        ("tools/call", call),
        ("zebra", {}),
        ("resources/read", {"uri": "zebra"}),
    ):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        accept = {"Accept": "application/json, text/event-stream"}
        await metered.post("/mcp/memory", json=request, headers=headers | accept)
    for name in ("zebra", HOSTILE):
        wrong = {"X-Graphmem-User": name.replace("\n", " "), "X-Request-Id": "zebra"}
        await metered.get("/v1/notes", headers=wrong)
    answer = await metered.get("/metrics")
    assert answer.status_code == 200
    text = answer.text.lower()
    assert "zebra" not in text
    assert "evil" not in text
    assert headers["X-Graphmem-User"] not in text
    labels = {value for _, pairs in read(answer.text) for _, value in pairs}
    assert all(re.fullmatch(r"[A-Za-z0-9_.+-]+", value) for value in labels), labels


async def test_the_event_loop_of_an_opened_context_is_looked_at(context: Context) -> None:
    async with asyncio.timeout(60):
        while (LAG,) not in context.meter.times:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.05)


async def test_each_metric_of_the_table_is_exported(metered: httpx.AsyncClient) -> None:
    text = (await metered.get("/metrics")).text
    told = set(re.findall(r"# TYPE (\S+) ", text))
    for metric in METRICS:
        ending = "_total" if metric.kind == "counter" else ""
        assert f"{PREFIX}{metric.name}{ending}" in told
    assert len(told) == len(METRICS)


@pytest.mark.parametrize(
    ("away", "up"), [(("meta.count_by_status",), 1), (("meta.count_by_status", "list_jobs"), 0)]
)
async def test_a_slow_count_is_left_out_and_a_graph_that_does_not_answer_is_down(
    away: tuple[str, ...],
    up: int,
    settings: Settings,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def wait(*_: object, **__: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr("graphmem.services.health.PATIENCE_S", 5.0 if up else 0.01)
    for name in away:
        monkeypatch.setattr(f"graphmem.services.health.{name}", wait)
    given = settings.model_copy(update={"metrics_key": Settings(metrics_key=KEY).metrics_key})
    async with serving(given, replace(context, meter=Meter())) as http:
        found = read((await http.get("/metrics", headers=bearer(KEY))).text)
    assert named(found, "database_up") == up
    assert not [name for name, _ in found if name == f"{PREFIX}notes"]


async def test_a_job_that_missed_its_time_is_overdue(context: Context) -> None:
    found = await look_at_graph(context)
    assert found is not None
    jobs: list[JobHealth] = list(found.jobs)
    assert {each.name for each in jobs} >= {"sweep_decay", "back_up"}
    for each in jobs:
        assert each.overdue_s >= 0
