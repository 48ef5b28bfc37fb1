"""Non-interference, generated: what a viewer may not read changes no byte of what it is answered.

Each case is drawn from a seed and played in two worlds, once with what the viewer may not read and
once without it. With GRAPHMEM_FUZZ_SECONDS set, cases of fresh seeds are tried for so long,
beginning at GRAPHMEM_FUZZ_SEED if that is set."""

import asyncio
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import ANY

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphmem.domain.profiles.parameters import Ranking, Tiered
from graphmem.store import events

from .canonical import difference
from .cases import PROCEDURE, Author, case_of, mutation
from .comparing import compare, shortest
from .documents import Call
from .protocols import by_client, by_mcp, by_rest
from .script import NOBODY, Case, Step, hidden, place_of
from .vocabulary import NAMES, QUESTIONS
from .world import World

SECONDS = float(os.environ.get("GRAPHMEM_FUZZ_SECONDS", "0"))
FIRST = os.environ.get("GRAPHMEM_FUZZ_SEED", "")
CASES = 1
LONG_AGO = 2_147_483_647  # the number of an event that is digested by now
COUNTS = (1, 2, 3, 5, 8)  # of hits
pytestmark = pytest.mark.timeout(SECONDS + 1_800)
Open = Callable[[bool], World]


@pytest.mark.feature("MUMA-26", "MUMA-61")
@pytest.mark.skipif(SECONDS > 0, reason="seeds are fresh instead")
@settings(
    max_examples=CASES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # a seed can't be made smaller; what fails is made shorter here
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 2**32))
async def test_what_is_hidden_changes_no_answer(open_one: Open, seed: int) -> None:
    await check(open_one, seed)


@pytest.mark.feature("MUMA-26", "MUMA-61")
@pytest.mark.skipif(SECONDS > 0, reason="seeds are fresh instead")
async def test_what_is_hidden_changes_no_answer_by_vectors_of_the_second_slot(
    open_in_second_slot: Open,
) -> None:
    await check(open_in_second_slot, 7)


@pytest.mark.skipif(SECONDS <= 0, reason="GRAPHMEM_FUZZ_SECONDS says for how long")
async def test_what_is_hidden_changes_no_answer_for_long(open_one: Open) -> None:
    first, until, tried = int(FIRST or secrets.randbits(32)), time.monotonic() + SECONDS, 0
    print(f"seeds from {first}")

    def open_for_all(with_keys: bool) -> World:
        world = open_one(with_keys)
        world.by_others = True
        return world

    while time.monotonic() < until:
        await check(open_for_all, first + tried)
        tried += 1
    print(f"{tried} cases")


async def test_equal_worlds_give_equal_answers_whatever_the_ids_are(open_one: Open) -> None:
    """Without this, chance would look like a leak, or hide one."""
    found = await compare(case_of(1), open_one, same=True)
    assert found is None, str(found)


async def test_a_procedure_of_the_worlds_becomes_a_skill_of_the_team(open_one: Open) -> None:
    """Or the worlds would know of no promoted skill."""
    world, author = open_one(False), Author(Random(1), "narrow")
    await world.set_up({})
    for alone in (True, False):
        author.promoted_skill(hidden=alone)
    for step in author.steps:
        told = await world.act(step, second=False)
        assert "errors" not in told, (step, told)
    shown = (await world.run((Call("skills", {}),), "narrow", ""))["data"]["a0"]
    assert [(each["name"], each["procedure"]) for each in shown] == [("Open the kiln", PROCEDURE)]
    await world.http.aclose()


async def test_others_than_graphql_tell_of_the_worlds(open_one: Open) -> None:
    """Or a step that asks by another protocol would compare nothing."""
    world, author = open_one(False), Author(Random(2), "plain")
    await world.set_up({})
    author.shared_note()
    await world.act(author.steps[0], second=False)
    headers, asked = world.headers("plain"), {"query": "Halden", "track": False}
    calls = (Call("recall", {"input": asked}), Call("notes", {"first": 8}), Call("stats"))
    for ask in (by_rest, by_mcp, by_client):
        for call in calls:
            for told in await ask(world.http, headers, call):
                assert (told["code"], bool(told["told"])) == (None, True), (ask, told)
    assert await by_client(world.http, headers, Call("note", {"id": NOBODY})) == [
        {"asked": "client note", "code": "NOT_FOUND", "told": {"message": ANY}}
    ]
    await world.http.aclose()


async def test_fewer_hits_are_the_first_of_more(open_one: Open) -> None:
    """With equal scores and reasons, for a viewer of any kind."""
    world, case = open_one(False), case_of(3)
    await world.set_up(dict(case.rules))
    for step in case.steps:
        await world.act(step, second=False)
    for viewer in ("person", "narrow", "keeper"):
        for query in (*QUESTIONS[:4], *NAMES[:2]):
            for profile in ("BALANCED", "SIMILARITY"):
                given = {"query": query, "profile": profile, "explain": True, "track": False}
                told = [await hits(world, viewer, given | {"k": k}) for k in (100, *COUNTS)]
                for k, fewer in zip(COUNTS, told[1:], strict=True):
                    assert difference(fewer, told[0][:k]) is None, (viewer, query, profile, k)
    await world.http.aclose()


async def test_a_stream_that_begins_anew_after_its_mark_was_made_is_followed_to_the_end(
    open_one: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, marked = open_one(False), asyncio.Event()
    await world.set_up({})
    began = (Call("events", {"after": LONG_AGO}, "Subscription"),)
    await world.run(began, "narrow", "")  # from now on the audience of marks is known
    last_seq, ask = events.last_seq, world.ask

    async def late(*given: Any) -> int:
        await marked.wait()
        return await last_seq(*given)

    async def asking(*given: Any) -> Any:
        answer = await ask(*given)
        marked.set()
        return answer

    monkeypatch.setattr(events, "last_seq", late)
    monkeypatch.setattr(world, "ask", asking)
    told = [each["data"]["a0"]["type"] for each in (await world.run(began, "narrow", ""))[2:]]
    assert told == ["RESYNC", "CREATE"]
    await world.http.aclose()


IN_TURN = (("OPEN", "work"), ("SCOPED", "work/kiln"), ("USER_ONLY", "vault"))


@pytest.mark.parametrize("job", ["sweep_decay", "expire_notes", "move_tiers"])
async def test_hidden_notes_change_no_order_of_what_jobs_tell(open_one: Open, job: str) -> None:
    """Though a job goes through them in turn with others, a few in each transaction."""
    rng, steps = Random(job), list[Step]()
    for i in range(36):
        visibility, domain = rng.choice(IN_TURN)
        new = {"content": f"Shelf {i} is old.", "visibility": visibility, "domain": domain}
        new |= {"mode": "VERBATIM", "kind": "SEMANTIC"} | (
            {"ttlSeconds": 90_000} if job == "expire_notes" else {}
        )
        place = place_of("person", visibility, domain)
        left_out: dict[str, Any] = {"left_out": hidden("narrow", place), "touches": (place,)}
        steps.append(Step(actor="person", calls=mutation("remember", input=new), **left_out))
    for days in (3, 120):
        steps.append(Step(actor="person", calls=(Call(job, {"days": days}, "Job"),)))
    asked = (Call("events", {"first": 200}), Call("notes", {"first": 40}))
    steps.append(Step(actor="narrow", calls=asked, watched=True))

    def opened(with_keys: bool) -> World:
        world = open_one(with_keys)
        tiered = replace(Ranking(), tiered=Tiered(enabled=True))
        world.service = replace(world.service, ranking=tiered)
        return world

    found = await compare(Case(steps=tuple(steps)), opened)
    assert found is None, found and found.where


async def hits(world: World, viewer: str, given: dict[str, Any]) -> list[Any]:
    answer = await world.run((Call("recall", {"input": given}),), viewer, "")
    return answer["data"]["a0"]["hits"]


async def check(open_one: Open, seed: int) -> None:
    """Fail with the shortest case, if the answers of the two worlds differ."""
    found = await compare(case_of(seed), open_one)
    if found is not None:
        pytest.fail(f"seed {seed}: {await shortest(found, open_one)}", pytrace=False)
