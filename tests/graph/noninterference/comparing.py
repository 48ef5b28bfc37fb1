"""Playing a case in two worlds, and the shortest case that still shows a difference."""

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .canonical import Canonical, difference
from .script import Case, Step
from .steady import PLACE, Ids
from .world import World

UNFORESEEN = ("INTERNAL_SERVER_ERROR", "GRAPHQL_VALIDATION_FAILED", "QUERY_TOO_COMPLEX")
UNANSWERED = ("UNAVAILABLE", "OPERATION_TIMEOUT")  # the machine is busy; nothing can be compared
ATTEMPTS = 3
Open = Callable[[bool], World]


@dataclass(frozen=True)
class Found:
    """Where the answers of two worlds begin to differ."""

    case: Case
    step: Step
    where: str

    def __str__(self) -> str:
        return (
            "what the viewer may not read changes what it is answered\n"
            f"  {self.case}\nthe answers to {self.step}\n"
            f"differ (with what is hidden | without it) at {self.where}"
        )


class Unanswered(Exception):
    """The database did not answer in time, so nothing can be compared."""


async def compare(case: Case, open_one: Open, *, same: bool = False) -> Found | None:
    """The first difference between the two worlds of a case, which are played step by step;
    `same`: the second one is played twice, which must give the same answers whatever the ids are.
    On a machine that is too busy to answer it is tried again."""
    for _ in range(ATTEMPTS - 1):
        with suppress(Unanswered):
            return await _compare(case, open_one, same=same)
    return await _compare(case, open_one, same=same)


async def _compare(case: Case, open_one: Open, *, same: bool) -> Found | None:
    worlds, tag = [open_one(case.keys), open_one(case.keys)], secrets.randbits(38) & ~1
    ids = [None if same else Ids(tag + place) for place in range(2)]
    players = [
        Player(world, each, second=same or place == 1)
        for place, (world, each) in enumerate(zip(worlds, ids, strict=True))
    ]
    try:
        await asyncio.gather(*(player.set_up(case) for player in players))
        for step in case.steps:
            one, other = await asyncio.gather(*(player.act(step) for player in players))
            if step.watched and (where := difference(one, other) or failure(one)):
                return Found(case, step, where)
    finally:
        for world in worlds:
            await world.http.aclose()
    return None


class Player:
    """Plays a case in one of its two worlds."""

    def __init__(self, world: World, ids: Ids | None, *, second: bool) -> None:
        self._world, self._ids, self._second = world, ids, second
        self._viewers: dict[str, Canonical] = {}

    async def set_up(self, case: Case) -> None:
        """Registers everybody."""
        PLACE.set(self._ids)
        await self._world.set_up(dict(case.rules))

    async def act(self, step: Step) -> Any:
        """What an actor is told, as it can be compared."""
        PLACE.set(self._ids)
        told = await self._world.act(step, second=self._second)
        if any(code in UNANSWERED for code in codes(told)):
            raise Unanswered
        viewer = self._viewers.setdefault(step.actor, Canonical(self._world.names))
        return viewer.plain(told) if step.watched else told


def failure(answer: Any) -> str | None:
    """Tells of an answer that something went wrong which nobody foresaw."""
    wrong = [code for code in codes(answer) if code in UNFORESEEN]
    return f"an unforeseen error: {wrong[0]}: {answer}" if wrong else None


def codes(answer: Any) -> list[str]:
    """The codes of an answer's errors, by whichever protocol."""
    if not isinstance(answer, dict):
        return []
    found = [error.get("extensions", {}).get("code", "") for error in answer.get("errors", ())]
    return found + [each["code"] for each in answer.get("beside", ()) if each["code"]]


async def shortest(found: Found, open_one: Open, *, tries: int = 60) -> Found:
    """The shortest case that still shows a difference, as far as so many tries get."""
    place = found.case.steps.index(found.step)
    early = {step.group for step in found.case.steps[: place + 1]}
    best = Found(found.case.only(early), found.step, found.where)
    size = max(1, len(best.case.groups()) // 2)
    while tries > 0:
        for dropped in _chunks(best.case.groups(), size):
            tries -= 1
            left = [group for group in best.case.groups() if group not in dropped]
            if (shorter := await compare(best.case.only(left), open_one)) is not None:
                best = shorter
                break
            if tries <= 0:
                break
        else:
            if size == 1:
                break
            size = max(1, size // 2)
    return best


def _chunks(groups: list[int], size: int) -> Iterator[frozenset[int]]:
    for i in range(len(groups), 0, -size):
        yield frozenset(groups[max(0, i - size) : i])
