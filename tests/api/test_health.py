"""`health` and `settings`: for admins alone, and without a secret."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from clients import Client

from graphmem.app import create_app
from graphmem.described_settings import describe
from graphmem.services.context import Context
from graphmem.services.health import parts_of
from graphmem.settings import Settings, load_settings

HEALTH = """{ health { version uptimeS model dimension database { version nodes relationships
  building } operations { name count failures medianMs p95Ms } stages { name count } lagMs queues
  connectionsInUse connectionsMost subscribers parts { name version license } } }"""
SETTINGS = "{ settings { name value isSet secret about } }"
SECRETS = {
    "neo4j_password": "swordfish-one",
    "embedder_key": "swordfish-two",
    "llm_key": "swordfish-three",
    "metrics_key": "swordfish-number-four",
}
GIVEN = {
    **SECRETS,
    "llm_url": "https://bob:swordfish-five@llm.example/v1?key=swordfish-six#swordfish-seven",
    "llm_model": "small",
    "neo4j_uri": "bolt://ann:swordfish-eight@db.example:7687",
    "embedder_url": "https://models.example/v1?token=swordfish-nine",
}


async def test_an_admin_sees_how_the_service_is(api: Client) -> None:
    await api('{ recall(input: {query: "Which kiln?"}) { id } }')
    found = (await api(HEALTH))["health"]
    assert found["database"]["version"].endswith(", community")
    assert found["database"]["building"] == []
    assert found["database"]["nodes"]["User"] >= 1
    assert found["dimension"] > 0
    recall = next(each for each in found["operations"] if each["name"] == "recall")
    assert recall["count"] >= 1
    assert 0 < recall["medianMs"] <= recall["p95Ms"]
    assert "search" in [each["name"] for each in found["stages"]]
    assert found["queues"].keys() >= {"recalls", "texts", "bulk_texts"}
    assert found["connectionsMost"] == 64
    assert all(part["license"] for part in found["parts"])
    assert found["parts"][0]["name"] == "graphmem"


async def test_nobody_else_sees_either(
    api: Client, http: httpx.AsyncClient, keyed: Callable[..., Any], new_user: Callable[[], str]
) -> None:
    await api('mutation { registerAgent(input: {id: "sales"}) { id } }')
    user = new_user()
    await Client(http, user)("{ viewer { admin } }")
    askers = [
        *[await keyed(user), await keyed(user, "sales")],
    ]
    for query in (HEALTH, SETTINGS):
        for path in ("/v1/service/health", "/v1/service/settings"):
            headers = {"X-Graphmem-User": api.user, "X-Graphmem-Agent": "sales"}
            assert (await http.get(path, headers=headers)).status_code == 403
        for ask in askers:
            answer = await ask(query)
            assert answer.get("data") is None
            assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    admin = await keyed(user, admin=True)
    assert (await admin(SETTINGS))["data"]["settings"]


async def test_no_secret_is_in_the_settings(
    settings: Settings, context: Context, new_user: Callable[[], str], tmp_path: Path
) -> None:
    given = load_settings({**GIVEN, "data": tmp_path})
    opened = replace(context, settings=partial(describe, given))
    transport = httpx.ASGITransport(app=create_app(settings, opened=opened))
    url = "http://127.0.0.1:8321"
    async with httpx.AsyncClient(transport=transport, base_url=url, timeout=60) as http:
        found = (await Client(http, new_user())(SETTINGS))["settings"]
        text = json.dumps(found) + (await http.get("/v1/service/settings")).text
    assert "swordfish" not in text
    assert "bob" not in text
    rows = {each["name"]: each for each in found}
    for name in SECRETS:
        row = rows[f"GRAPHMEM_{name.upper()}"]
        assert (row["value"], row["secret"], row["isSet"]) == (None, True, True)
    assert rows["GRAPHMEM_LLM_URL"]["value"] == "https://***@llm.example/***"
    assert rows["GRAPHMEM_DATA"]["value"] == str(tmp_path)
    assert rows["GRAPHMEM_PORT"] == {
        "name": "GRAPHMEM_PORT",
        "value": "8321",
        "isSet": False,
        "secret": False,
        "about": "port to listen on; 0 means any free one",
    }


def test_each_setting_is_told_with_its_meaning() -> None:
    found = describe(load_settings())
    assert len({each.name for each in found}) == len(found)
    assert all(each.about for each in found)
    secret = {each.name for each in found if each.secret}
    assert secret == {f"GRAPHMEM_{name.upper()}" for name in SECRETS}


@pytest.mark.parametrize("name", ["graphmem", "Neo4j", "neo4j", "numpy", "starlette"])
def test_each_part_has_a_licence(name: str) -> None:
    part = next(each for each in parts_of("2026.08.1, community") if each.name == name)
    assert part.version
    assert 2 < len(part.license) <= 60
