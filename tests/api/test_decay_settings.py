"""The numbers of decay, as the environment gives them, act wherever a relevance is worked out."""

from collections.abc import Callable
from typing import Any

import pytest

from graphmem.settings import load_settings

CORE = "{ coreMemory { blocks { name text } } }"
REFLECT = "mutation { reflect { markdown items { kind summary } } }"
SET = "mutation B($n: String!, $t: String!) { setCoreBlock(name: $n, text: $t) { tokenCount } }"
FIND = "{ notes(first: 50) { nodes { id content relevance } } }"
USED = """MATCH (n:Note {id: $id}) SET n.accessCount = 20, n.accessTimes = [n.createdAt]
  RETURN n.id AS id"""
DAY = 24
Opened = Callable[..., Any]


@pytest.fixture
def opened(place: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens a service whose numbers of decay come from variables of the environment."""

    async def open_it(**variables: str) -> Any:
        for name, value in variables.items():
            monkeypatch.setenv(f"GRAPHMEM_DECAY__{name}", value)
        return await place(decay=load_settings().ranking.decay)

    return open_it


async def archival(at: Any) -> tuple[str, list[str]]:
    """The heading of what is to be archived, and the items below it."""
    found = (await at.api(REFLECT))["reflect"]
    [head] = [line for line in found["markdown"].splitlines() if "Proposed Archival" in line]
    return head, [item["summary"] for item in found["items"] if item["kind"] == "archive"]


@pytest.mark.feature("MOLT-94")
@pytest.mark.parametrize(
    ("variables", "head", "goes"),
    [
        ({}, "(decay score < 0.05)", False),
        ({"LAMBDA": "0.5"}, "(decay score < 0.05)", True),
        ({"WEIGHTS": '{"episodic": 0.05}'}, "(decay score < 0.05)", True),
        ({"LAMBDA": "0.15", "ARCHIVE_THRESHOLD": "0.2"}, "(decay score < 0.2)", True),
    ],
)
async def test_a_reflection_goes_by_the_numbers(
    opened: Opened, variables: dict[str, str], head: str, goes: bool
) -> None:
    at = await opened(**variables)
    await at.many("The loft was repainted in grey.", domain="home")
    at.clock.move(10 * DAY)
    told, items = await archival(at)
    assert told.endswith(head)
    assert bool(items) is goes


@pytest.mark.feature("MOLT-94")
@pytest.mark.parametrize(("weight", "goes"), [("1.5", False), ("0.1", True)])
async def test_a_line_of_core_memory_has_the_weight_of_core_memory(
    opened: Opened, weight: str, goes: bool
) -> None:
    """The sweep and each note say so, and so must the reflection that takes faded lines out."""
    at = await opened(WEIGHTS=f'{{"core": {weight}, "semantic": 0.1, "episodic": 0.1}}')
    await at.api(SET, n="context", t="The fair is in May.")
    found = (await at.api(REFLECT))["reflect"]["items"]
    [note] = (await at.api(FIND))["notes"]["nodes"]
    assert note["relevance"] == pytest.approx(float(weight), rel=0.01)
    assert bool([item for item in found if item["kind"] == "core"]) is goes


@pytest.mark.feature("MOLT-94")
@pytest.mark.parametrize(("rate", "told"), [("0", True), ("5", False)])
async def test_core_memory_goes_by_the_numbers(
    opened: Opened, cypher: Callable[..., Any], rate: str, told: bool
) -> None:
    """It has room for ten preferences: those used often where nothing fades, else the new ones."""
    at = await opened(LAMBDA=rate)
    found = []
    for i in range(12):
        found += await at.many(
            f"I prefer pot {i} of glazed clay.", domain="home", type="PREFERENCE"
        )
        at.clock.move(DAY)
    await cypher(USED, id=found[0])
    blocks = (await at.api(CORE))["coreMemory"]["blocks"]
    text = "\n".join(block["text"] for block in blocks)
    assert ("pot 0 " in text) is told
    assert text.count("pot ") == 10
