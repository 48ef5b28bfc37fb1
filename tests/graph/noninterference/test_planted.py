"""The machine finds what it is there for: one planted leak of each class."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from .canonical import Canonical, difference
from .comparing import ATTEMPTS, UNANSWERED, codes, compare
from .documents import Call
from .plants import PLANTS, Plant, world_of_plants
from .plants_of_writes import WRITTEN, Written
from .steady import PLACE, Ids
from .world import World

VIEWER = "narrow"


@dataclass(frozen=True)
class Pair:
    """Two worlds that are set up; the second one has nothing hidden."""

    worlds: tuple[World, World]

    async def look(self, calls: tuple[Call, ...]) -> str | None:
        """The first difference between what the viewer is told in the two; a database that is too
        busy to answer is asked again."""
        for _ in range(ATTEMPTS):
            told = [await world.run(calls, VIEWER, "") for world in self.worlds]
            if not any(code in UNANSWERED for answer in told for code in codes(answer)):
                break
        one, other = (
            Canonical(world.names).plain(answer)
            for world, answer in zip(self.worlds, told, strict=True)
        )
        return difference(one, other)


async def _set_up(world: World, *, second: bool) -> World:
    PLACE.set(Ids(secrets.randbits(38)))
    await world.set_up({})
    for step in world_of_plants():
        await world.act(step, second=second)
    return world


@pytest.fixture(scope="module")
async def pair(open_one: Callable[[bool], World]) -> AsyncIterator[Pair]:
    worlds: Any = await asyncio.gather(
        _set_up(open_one(False), second=False), _set_up(open_one(False), second=True)
    )
    yield Pair(worlds)
    for world in worlds:
        await world.http.aclose()


@pytest.mark.parametrize("plant", PLANTS, ids=[plant.name for plant in PLANTS])
async def test_a_planted_leak_is_found(
    plant: Plant, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await pair.look(plant.calls) is None
    plant.put(monkeypatch)
    assert await pair.look(plant.calls) is not None


@pytest.mark.parametrize("plant", WRITTEN, ids=[plant.name for plant in WRITTEN])
async def test_a_leak_that_is_planted_in_writes_is_found(
    plant: Written, open_one: Callable[[bool], World], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await compare(plant.case(), open_one) is None
    plant.put(monkeypatch)
    assert await compare(plant.case(), open_one) is not None
