"""Reflections: what they propose, and what comes of the user's decision."""

from collections.abc import Callable
from typing import Any

import pytest


ITEM = "id kind summary diff accepted"
FIELDS = f"id number status at markdown tokensUsed tokenBudget items {{ {ITEM} }}"
REFLECT = f"mutation {{ reflect {{ {FIELDS} }} }}"
LIST = f"""query L($status: ReflectionStatus, $first: Int) {{
  reflections(status: $status, first: $first) {{ {FIELDS} }} }}"""
DECIDE = f"""mutation D($id: ID!, $accept: [ID!]!, $reject: [ID!]) {{
  decideReflection(id: $id, accept: $accept, reject: $reject) {{ {FIELDS} }} }}"""
REVERT = f"mutation V($id: ID!) {{ revertReflection(id: $id) {{ {FIELDS} }} }}"
NOTES = """{ notes(first: 200, filter: {statuses: [ACTIVE, FADING, DORMANT, ARCHIVED]}) { nodes {
  id content kind source status visibility domain accessCount derivedFrom { id }
  entities { name } links { kind } } } }"""
CONFLICTS = "query C($open: Boolean) { conflicts(open: $open) { id open notes { id } } }"
EVENTS = "query E($types: [String!]) { events(types: $types, first: 500) { type actor subjectId } }"
STEPS = (
    "Ran the whole test suite.",
    "Built the image of the shop.",
    "Pushed the image to Kestrel.",
)
DAY = 24


async def reflect(api: Any) -> dict[str, Any]:
    return (await api(REFLECT))["reflect"]


async def listed(api: Any, **given: Any) -> list[dict[str, Any]]:
    return (await api(LIST, **given))["reflections"]


async def decide(api: Any, found: dict[str, Any], **given: Any) -> dict[str, Any]:
    return (await api(DECIDE, id=found["id"], **given))["decideReflection"]


async def notes(api: Any) -> dict[str, dict[str, Any]]:
    return {note["id"]: note for note in (await api(NOTES))["notes"]["nodes"]}


def of_kind(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [item for item in found["items"] if item["kind"] == kind]


def ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["id"] for item in items]


async def fill(at: Any) -> None:
    """One thing of each kind to be found."""
    at.clock.move(-120 * DAY)
    await at.many("The loft was repainted in grey.", domain="home")
    at.clock.move(119 * DAY)
    for day in range(3):
        at.clock.move(1)
        await at.many(*STEPS, episode=f"day {day}", domain="work")
        await at.many(f"Ann prefers tea over coffee{'.' * (day + 1)}", domain="work")
    await at.api.remember("The gate of the Halden yard is locked at night.", domain="work")
    await at.api.remember("The gate of the Halden yard is not locked at night.", domain="work")
    await at.many("The kiln needs a relay.", domain="work", tags=["kiln", "relay", "halden"])
    await at.many("A spare part came today.", domain="work", tags=["kiln", "relay", "halden"])


@pytest.mark.feature("MOLT-45")
async def test_one_of_each_from_one_scenario(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    print(found["markdown"])
    for item in found["items"]:
        print(item)
    kinds = {item["kind"] for item in found["items"]}
    assert {"fact", "link", "contradiction", "archive", "procedure"} <= kinds
