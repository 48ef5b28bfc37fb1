"""Purging, generated: whatever came of notes, nothing of them is left once they are destroyed.

With GRAPHMEM_FUZZ_SECONDS set, lives of fresh seeds are tried for so long."""

import os
import secrets
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from named_nodes import named

from graphmem.services.jobs.jobs import WORK

from .comparing import failure
from .documents import Call
from .script import Live, NoteRef, Step
from .vocabulary import chance
from .world import World

SECONDS = float(os.environ.get("GRAPHMEM_FUZZ_SECONDS", "0"))
SEEDS = (1, 2)
STEPS = 22
WRITERS = ("person", "plain", "keeper")
NEEDLE = "{needle}"  # a word of the world's notes alone
TEXTS = (
    "The {needle} kiln is in Ulm.",
    "The {needle} kiln is in Bonn.",
    "The {needle} kiln is in Bonn, as Ada Kessler said.",
    "I prefer {needle} tea over coffee.",
    "The deadline of {needle} is March 15.",
    "The deadline of {needle} is March 30.",
    "To fire the {needle}, first cut the power, then open the lid.",
    "Ada {needle} met Carla Moreno on Monday.",
)
EVERY = """{ notes(first: 100, filter: {statuses: [ACTIVE FADING DORMANT ARCHIVED SUPERSEDED]}) {
  nodes { id } pageInfo { hasNextPage } } }"""
PURGE = """mutation P($id: ID!) { forget(id: $id, permanent: true, confirm: true) {
  forgottenCount } }"""
pytestmark = pytest.mark.timeout(SECONDS + 900)
Open = Callable[[bool], World]


def mutation(field: str, **arguments: Any) -> Call:
    return Call(field, arguments, "Mutation")


class Life:
    """What becomes of notes, drawn step by step."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.steps: list[Step] = []
        self.known: list[NoteRef] = []

    def add(self, actor: str, call: Call) -> NoteRef:
        name = f"s{len(self.steps)}"
        self.steps.append(Step(actor=actor, calls=(call,), name=name))
        return NoteRef(name)

    def note(self) -> None:
        """A note that has the word anywhere."""
        rng = self.rng
        given: dict[str, Any] = {"content": rng.choice(TEXTS), "domain": "work"}
        every: dict[str, Any] = {
            "title": f"{NEEDLE} kiln",
            "tags": [NEEDLE, "kiln"],
            "keywords": [NEEDLE],
            "speaker": f"Ada {NEEDLE}",
            "episode": f"day of {NEEDLE}",
            "metadata": {NEEDLE: [NEEDLE]},
            "externalId": f"{NEEDLE}/{len(self.steps)}",
            "idempotencyKey": f"{NEEDLE}{len(self.steps)}",
            "entities": [{"name": NEEDLE, "aliases": ["Kestrel"]}, {"name": f"Old {NEEDLE}"}],
            "relations": [{"subject": NEEDLE, "predicate": "knows", "object": "Kestrel"}],
            "kind": rng.choice(("EPISODIC", "SEMANTIC", "PROCEDURAL")),
            "mode": rng.choice(("VERBATIM", "CURATED")),
            "visibility": "OPEN",
        }
        given |= {name: value for name, value in every.items() if chance(rng, 0.4)}
        self.known.append(self.add(rng.choice(WRITERS), mutation("remember", input=given)))

    def other_note(self) -> None:
        """A note of the user that stays."""
        rng = self.rng
        text = rng.choice(("The kiln is hot.", "Kestrel knows Carla Moreno.", "I live in Berlin."))
        given = {"content": text, "domain": "work", "tags": ["kiln"], "mode": "VERBATIM"}
        self.known.append(self.add("person", mutation("remember", input=given)))

    def change(self) -> None:
        """Something is done with the notes."""
        rng = self.rng
        one, other = rng.sample(self.known, 2)
        calls = (
            mutation("revise", id=one, content=rng.choice(TEXTS), tags=[NEEDLE, "tea"]),
            mutation("revise", id=one, title=f"{NEEDLE} of old"),
            mutation("link", source=one, target=other, kind="supports", reason="for the kiln"),
            mutation("pin", id=one),
            mutation("setVisibility", id=one, visibility=rng.choice(("PRIVATE", "OPEN"))),
            mutation("revise", id=one, domain=rng.choice(("home", "work"))),
            mutation("forget", id=one),
            mutation("restore", id=one),
            mutation("revertNote", id=one, version=1),
            mutation("mergeEntities", keep=Live("entity", "Kestrel"), merge=Live("entity", NEEDLE)),
            mutation("undoEntityMerge", id=Live("merge", "Kestrel")),
            mutation("resolveConflict", id=Live("conflict"), verdict="CONTRADICTORY"),
            mutation("handoff", to="narrow", summary="Fire the kiln.", noteIds=[one]),
            mutation("feedback", recallId=Live("recall"), used=[Live("used")]),
            mutation("decideReflection", id=Live("reflection"), accept=[Live("item", index=0)]),
            mutation("revertReflection", id=Live("reflection")),
            mutation("consolidate"),
            mutation("reflect"),
            Call("recall", {"input": {"query": f"Where is the {NEEDLE} kiln?", "track": True}}),
            Call("consult", {"question": f"Where is the {NEEDLE} kiln?", "track": True}),
        )
        self.add("person", rng.choice(calls))

    def job(self) -> None:
        """A job runs, perhaps days later."""
        rng = self.rng
        name = rng.choice(sorted({*WORK} - {"erase_users"}))
        self.add("person", Call(name, {"days": rng.choice((0, 1, 3, 8, 40))}, "Job"))


def life_of(seed: int) -> Sequence[Step]:
    """The life of a seed."""
    rng = Random(seed)
    life = Life(rng)
    for act in (life.note, life.note, life.other_note):
        act()
    acts = [life.note] * 4 + [life.other_note] + [life.change] * 7 + [life.job] * 4
    for _ in range(STEPS):
        rng.choice(acts)()
    return life.steps


def with_needle(value: Any, needle: str) -> Any:
    """The value with the word of a world."""
    match value:
        case str():
            return value.replace(NEEDLE, needle)
        case dict():
            return {with_needle(k, needle): with_needle(v, needle) for k, v in value.items()}
        case list() | tuple():
            return [with_needle(each, needle) for each in value]
        case Live():
            return Live(value.what, with_needle(value.of, needle), value.index)
    return value


async def check(open_one: Open, seed: int) -> None:
    """Fail where something of the notes is left."""
    world, needle = open_one(False), "quor" + "".join(secrets.choice("aeioulmn") for _ in range(8))
    await world.set_up({})
    told = list[str]()
    for step in life_of(seed):
        call = step.calls[0]
        said = Call(call.field, with_needle(call.arguments, needle), call.kind)
        told.append(str(Step(actor=step.actor, calls=(said,), name=step.name)))
        answer = await world.act(
            Step(actor=step.actor, calls=(said,), name=step.name), second=False
        )
        assert not failure(answer), f"seed {seed}: {answer}\n  " + "\n  ".join(told)
    assert await named(world.service, needle)
    for _ in range(10):  # some come back when others go
        for note in await told_notes(world):
            await world.ask("person", PURGE, {"id": note["id"]})
    assert await told_notes(world) == []
    left = await named(world.service, needle)
    assert left == [], f"seed {seed}: {left}\n  " + "\n  ".join(told)
    await world.http.aclose()


async def told_notes(world: World) -> list[dict[str, str]]:
    """The user's notes, whatever their state."""
    answer = await world.ask("person", EVERY, {})
    return answer["data"]["notes"]["nodes"]


@pytest.mark.skipif(SECONDS > 0, reason="seeds are fresh instead")
@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_of_purged_notes_is_left(open_one: Open, seed: int) -> None:
    await check(open_one, seed)


@pytest.mark.skipif(SECONDS <= 0, reason="GRAPHMEM_FUZZ_SECONDS says for how long")
async def test_nothing_of_purged_notes_is_left_for_long(open_one: Open) -> None:
    first, until, tried = secrets.randbits(32), time.monotonic() + SECONDS, 0
    print(f"seeds from {first}")
    while time.monotonic() < until:
        await check(open_one, first + tried)
        tried += 1
    print(f"{tried} lives")
