"""The meter, and the dashboards and alerts that use what it counts."""

import asyncio
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from graphmem.metrics.table import METRICS, PREFIX, Kind
from graphmem.operations.codes import CODES
from graphmem.services.meter import BOUNDS_S, LAG, MOST, OTHER, Meter, Times, metering_lag

FOLDER = Path(__file__).parents[2] / "examples" / "metrics"
DASHBOARDS = sorted(FOLDER.glob("grafana-*.json"))
ENDINGS = {
    Kind.COUNTER: ("_total",),
    Kind.GAUGE: ("",),
    Kind.HISTOGRAM: ("_bucket", "_sum", "_count"),
}
EXPORTED = {
    f"{PREFIX}{metric.name}{ending}": metric
    for metric in METRICS
    for ending in ENDINGS[metric.kind]
}
OF_PROMETHEUS = {"instance", "job", "le"}


def alerts() -> list[dict[str, Any]]:
    [group] = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    return group["rules"]


def expressions() -> list[str]:
    found = [rule["expr"] for rule in alerts()]
    for path in DASHBOARDS:
        panels = json.loads(path.read_text(encoding="utf-8"))["panels"]
        found += [target["expr"] for panel in panels for target in panel["targets"]]
    return found


@pytest.mark.parametrize("expression", expressions())
def test_what_is_asked_for_is_exported_with_these_labels(expression: str) -> None:
    names = set(re.findall(r"graphmem_\w+", expression))
    assert names <= EXPORTED.keys()
    known = {label for name in names for label in EXPORTED[name].labels} | OF_PROMETHEUS
    chosen = re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", expression)
    grouped = [each.split(",") for each in re.findall(r"\bby \(([^)]*)\)", expression)]
    assert {*chosen, *(label.strip() for group in grouped for label in group)} <= known
    for opening, closing in ("()", "{}", "[]"):
        assert expression.count(opening) == expression.count(closing)


def test_outcomes_are_codes() -> None:
    """What an alert waits for can happen."""
    chosen = re.findall(r'outcome=~"([^"]+)"', " ".join(expressions()))
    assert chosen
    assert {code for each in chosen for code in each.split("|")} <= CODES.keys()


def test_there_are_eight_alerts_that_say_what_to_do() -> None:
    rules = alerts()
    assert len({rule["alert"] for rule in rules}) == len(rules) == 8
    for rule in rules:
        assert re.fullmatch(r"\d+m", rule["for"])
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]


def test_the_two_dashboards_have_panels_of_their_own_places() -> None:
    assert [path.name for path in DASHBOARDS] == ["grafana-memory.json", "grafana-service.json"]
    for path in DASHBOARDS:
        panels = json.loads(path.read_text(encoding="utf-8"))["panels"]
        assert len({json.dumps(panel["gridPos"]) for panel in panels}) == len(panels)
        assert len({panel["id"] for panel in panels}) == len(panels)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_prometheus_takes_the_rules_and_the_configuration() -> None:
    for what, name in (("rules", "alerts.yml"), ("config", "prometheus.yml")):
        command = ["promtool", "check", what, name]
        subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, timeout=60)


def test_labels_are_bounded() -> None:
    meter = Meter()
    for number in range(2 * MOST):
        meter.count("requests", "graphql", f"made-up-{number}", "OK")
        meter.time("operation", 0.1, f"made-up-{number}")
    assert len(meter.counts) <= MOST + 1
    assert len(meter.times) <= MOST + 1
    assert meter.counts["requests", OTHER, OTHER, OTHER] == MOST
    assert meter.times["operation", OTHER].count == MOST


def test_times_go_into_the_bucket_that_holds_them() -> None:
    times = Times()
    assert times.below(0.5) is None
    for seconds in (0.0, BOUNDS_S[0], 0.0011, 1.0, 11.0):
        times.add(seconds)
    assert times.buckets[0] == 2  # a bound belongs to its bucket
    assert times.buckets[-1] == 1
    assert times.count == 5
    assert times.below(0.5) == 0.0025
    assert times.below(0.8) == 1.0
    assert times.below(1.0) == float("inf")
    assert times.sum_s == pytest.approx(12.0021)


async def test_a_stage_is_timed_even_if_it_fails() -> None:
    async def fail() -> None:
        raise ValueError("it fails")

    meter = Meter()
    with pytest.raises(ValueError, match="it fails"):
        await meter.stage("search", fail())
    assert meter.times["stage", "search"].count == 1


async def test_the_lag_of_the_event_loop_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.services.meter.LAG_EVERY_S", 0.001)
    meter = Meter()
    async with asyncio.timeout(60), metering_lag(meter):
        while (LAG,) not in meter.times:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.001)


def test_the_page_of_metrics_names_each_of_them_with_its_labels() -> None:
    page = FOLDER.parents[1] / "docs" / "how-to" / "watch-the-service.md"
    rows = re.findall(r"^\| `(graphmem_\w+)` \| (.*?) \|", page.read_text(encoding="utf-8"), re.M)
    told = {name: tuple(re.findall(r"`(\w+)`", labels)) for name, labels in rows}
    ending = {Kind.COUNTER: "_total"}
    assert told == {
        f"{PREFIX}{each.name}{ending.get(each.kind, '')}": each.labels for each in METRICS
    }
