"""Two mutations of one note at the same time: one decides on what the other one has changed before
it writes, or both run freely. Afterwards nothing is read by who may not, and nothing is lost."""

import asyncio
import itertools
import os
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest
from graphql import build_schema
from held_writes import GATE, Gate, HeldGraph
from race_moves import MOVES, NO_NOTE, Move, World
from race_world import left_of, make_world, open_below, told_of, visibility_of, wrong_in

from graphmem.api.schema import sdl
from graphmem.app import create_app
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.reflection.deciding import revert_reflection
from graphmem.settings import Settings

AT_ONCE = 4  # races
WAITS_S = 0.3  # that a move waits for a lock
BUDGET_S = float(os.environ.get("GRAPHMEM_FUZZ_SECONDS", "12"))
FIRST = ("narrow", "rule", "purge", "move", "register agent")  # what others must not undo
REFUSED = {"CONFLICT", "NOT_FOUND", "FORBIDDEN", "BAD_USER_INPUT"}
APART = (  # what one note can't be at once
    *({"skill", "line"}, {"archived", "decided"}),
    *({"skill", "quarantined"}, {"line", "quarantined"}),
)


@dataclass
class Race:
    """A world with two moves and the answer to each."""

    world: World
    one: Move
    other: Move
    answers: list[Any] = field(default_factory=list)
    held: bool = False  # the first one was, until the second one was done

    def acknowledged(self) -> list[tuple[Move, Any]]:
        """The moves that were carried out, with their data."""
        moves = zip((self.one, self.other), self.answers, strict=True)
        return [(m, a["data"][m.field]) for m, a in moves if not a.get("errors")]


@pytest.fixture(scope="module")
async def raced(settings: Settings, context: Context) -> AsyncIterator[httpx.AsyncClient]:
    """A service whose requests can be held before they write, or while they do."""
    held = replace(context, graph=HeldGraph(context.graph))
    transport = httpx.ASGITransport(app=create_app(settings, opened=held))
    url = "http://127.0.0.1:8321"
    async with httpx.AsyncClient(transport=transport, base_url=url, timeout=120) as client:
        yield client


@pytest.fixture
def worlds(
    context: Context, raced: httpx.AsyncClient, api: Any, new_user: Callable[[], str]
) -> Callable[[Move, Move], Awaitable[World]]:
    """Makes a world of its own for two moves."""

    async def make(one: Move, other: Move) -> World:
        client = replace(api, http=raced, user=new_user())
        return await make_world(context, client, frozenset({one.needs, other.needs}))

    return make


def pairs(names: Iterable[str] = MOVES) -> list[tuple[str, str]]:
    """The ordered pairs of moves, the second one of these names, that can be about one note."""
    found = itertools.product(MOVES, names)
    return [
        (one, other)
        for one, other in found
        if not any({MOVES[one].needs, MOVES[other].needs} == apart for apart in APART)
    ]


async def stale(race: Race, at: int, *, inside: bool = False) -> None:
    """The first move reads, the second one is carried out, the first one writes. `inside`: the
    first one has begun to write; the second one may have to wait for it."""
    gate = Gate(at, inside=inside)
    token = GATE.set(gate)
    first = asyncio.create_task(race.one.send(race.world))  # type: ignore[arg-type]
    GATE.reset(token)
    reached = asyncio.create_task(gate.reached.wait())
    await asyncio.wait({first, reached}, return_when=asyncio.FIRST_COMPLETED)
    race.held = reached.done()
    reached.cancel()
    second = asyncio.create_task(race.other.send(race.world))  # type: ignore[arg-type]
    await asyncio.wait({second}, timeout=WAITS_S if inside else None)
    race.held = race.held and second.done()  # else the first one may have been the earlier
    gate.opened.set()
    race.answers = [await first, await second]


async def begun(race: Race, at: int) -> None:
    """The second move comes while the first one is writing."""
    await stale(race, at, inside=True)


async def free(race: Race, at: int) -> None:
    """Both moves at once."""
    del at
    race.answers = await asyncio.gather(race.one.send(race.world), race.other.send(race.world))


async def check(context: Context, race: Race) -> list[str]:
    """What the race has left that must not be."""
    user = race.world.api.user
    wrong = await wrong_in(context, user)
    done = race.acknowledged()
    codes = {e["extensions"]["code"] for a in race.answers for e in a.get("errors") or ()}
    if codes - REFUSED:
        wrong.append(f"answered {race.answers}")
    visibility = await visibility_of(context, race.world.note)
    if any(move.narrows for move, _ in done) and visibility not in (None, "USER_ONLY"):
        wrong.append(f"a narrowing was undone: {visibility}")
    if any(move is MOVES["rule"] for move, _ in done):
        domain = race.world.ids["domain"]
        wrong += [f"not under the rule: {note}" for note in await open_below(context, user, domain)]
    if any(move.destroys and move.did(data) for move, data in done):
        if left := await left_of(context, race.world.note):
            wrong.append(f"{left} things are left of a destroyed note")
    elif visibility is not None:
        wanted = {move.event for move, data in done if move.event and move.did(data)}
        told = await told_of(context, race.world)
        wrong += [f"no event {kind}" for kind in wanted.difference(told)]
    return wrong


async def run(
    context: Context,
    worlds: Callable[[Move, Move], Awaitable[World]],
    names: Iterable[tuple[str, str]],
    *,
    race: Callable[[Race, int], Awaitable[None]],
    until: float = float("inf"),
) -> int:
    """Race the pairs, some at once; fails the test with all that went wrong."""
    free_places, wrong, done = asyncio.Semaphore(AT_ONCE), [], 0

    async def one(first: str, second: str, at: int) -> None:
        nonlocal done
        async with free_places:
            if time.monotonic() > until:
                return
            moves = MOVES[first], MOVES[second]
            try:
                made = Race(await worlds(*moves), *moves)
                await race(made, at)
                found = [*await check(context, made), *_raised(made)]
            except Exception as error:  # all that go wrong are told together
                wrong.append(f"{first} ({at}) / {second}: {error!r}")
                return
            wrong.extend(f"{first} ({at}) / {second}: {each}" for each in found)
            done += 1

    await asyncio.gather(*(one(a, b, at) for a, b in names for at in MOVES[a].holds))
    assert not wrong, "\n".join(wrong)
    return done


def _raised(race: Race) -> list[str]:
    """An agent's write that was decided upon before its rights were taken."""
    if not race.held or race.one.in_person or race.other is not MOVES["register agent"]:
        return []
    answers = [data for move, data in race.acknowledged() if move is race.one]
    return [f"an agent without the right wrote: {data}" for data in answers if _wrote(data)]


def _wrote(data: Any) -> bool:
    """Whether an answer tells of more than errors."""
    if isinstance(data, dict) and "results" in data:
        return any(each["error"] is None for each in data["results"])
    return True


def test_every_mutation_has_a_move_or_a_reason() -> None:
    """A new mutation must say how it races, or that it changes no note."""
    mutation = build_schema(sdl()).mutation_type
    assert mutation is not None
    assert set(mutation.fields) == {move.field for move in MOVES.values()} | NO_NOTE.keys()


@pytest.mark.parametrize("second", FIRST)
async def test_a_decision_on_stale_reading_undoes_nothing(
    context: Context, worlds: Any, second: str
) -> None:
    await run(context, worlds, pairs([second]), race=stale)


async def test_of_a_note_that_was_narrowed_meanwhile_a_reversal_is_told(
    context: Context, worlds: Any
) -> None:
    """The readers that it got are none that the request knew of when it began."""
    world = await worlds(MOVES["revert reflection"], MOVES["narrow"])
    access = await open_access(context, world.api.user, None)
    await MOVES["narrow"].send(world)
    await revert_reflection(context, access, world.ids["reflection"])
    assert "REVERT" in await told_of(context, world)


@pytest.mark.parametrize("race", [stale, begun, free])
async def test_any_two_moves(context: Context, worlds: Any, race: Any) -> None:
    """As many pairs as there is time for, in an order that is told when one goes wrong."""
    seed = random.randrange(10**6)
    ordered = pairs()
    random.Random(seed).shuffle(ordered)
    until = time.monotonic() + BUDGET_S / 3
    try:
        while await run(context, worlds, ordered, race=race, until=until):
            pass
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise
