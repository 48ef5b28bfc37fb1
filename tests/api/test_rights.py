"""Whatever an agent does to a note, it adds no reader beyond what its user decided at the place
where the note was, by rules, by hand or by shares: each way of changing readers, cell by cell."""

import asyncio
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from clients import Client
from graphql import (
    build_schema,
    get_named_type,
    is_enum_type,
    is_input_object_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_required_argument,
    is_required_input_field,
)
from rights_table import DESTROY, ELSEWHERE, IN_PERSON, REST, SHARED, WAYS, Case, Way
from rights_world import ACTORS, REGISTER, RULES, WORLDS, World, check, voucher

from graphmem.resources import folder

SCHEMA: Any = build_schema(folder("schema").joinpath("schema.graphql").read_text("utf-8"))


@pytest.mark.feature("MUMA-120")
@pytest.mark.parametrize("rule", RULES)
async def test_no_way_of_an_agent_adds_a_reader(open_world: Any, rule: str | None) -> None:
    """What is refused changes nothing. An agent that does not read a note knows its text from
    elsewhere: to refuse what it writes then would show that there is such a note."""
    worlds = [world for world in WORLDS if world[0] == rule]
    await asyncio.gather(*(try_all_ways(open_world, *world) for world in worlds))


async def try_all_ways(open_world: Any, rule: str | None, mark: str | None, shared: bool) -> None:
    world = await open_world(rule, mark, shared=shared)
    cells: list[tuple[str, str, Case]] = []
    for actor in ACTORS:
        for author in (world.api, world.api.as_agent(actor)):
            made = await world.cases(author, len(WAYS))
            cells += [(actor, name, case) for name, case in zip(WAYS, made, strict=True)]
    before = await world.readers()
    refused: dict[str, bool] = {}
    for actor, name, case in cells:
        way = WAYS[name]
        answer = await world.api.as_agent(actor).post(way.query, **way.given(case))
        codes = {error["extensions"]["code"] for error in answer.get("errors", ())}
        assert codes <= {"FORBIDDEN", "NOT_FOUND", "CONFLICT"}, (actor, name, answer)
        refused[case.id] = bool(codes)
    after = await world.readers()
    for actor, name, case in cells:
        told = (rule, mark, shared, actor, name)
        was, now = before[voucher(case.text)], after[voucher(case.text)]
        if name.startswith("copy") and f"agent {actor}" not in was:
            continue
        lends = name.startswith("lend") and not world.keeps_from_lending
        check(world, was, now, {actor, "stranger"} if lends else {actor}, told)
        assert now == was or not refused[case.id], told


async def reads(agent: Client, case: Case) -> bool:
    answer = await agent.post("query N($id: ID!) { note(id: $id) { id } }", id=case.id)
    return "errors" not in answer


@pytest.mark.feature("MUMA-120")
@pytest.mark.parametrize("seeds", [range(4), range(4, 8)])
async def test_no_path_of_steps_adds_a_reader(open_world: Any, seeds: range) -> None:
    """What the user decided holds through several steps, by several agents that read the note."""
    await asyncio.gather(*(try_paths(open_world, seed) for seed in seeds))


async def try_paths(open_world: Any, seed: int) -> None:
    chance = random.Random(seed)
    rule, mark, shared = chance.choice([w for w in WORLDS if w[0] or w[1]])
    world = await open_world(rule, mark, shared=shared)
    cases = await world.cases(world.api, 30)
    before = await world.readers()
    paths: dict[str, list[tuple[str, str]]] = {}
    for case in cases:
        readers = [a for a in ACTORS if f"agent {a}" in before[voucher(case.text)]]
        if not readers:
            continue
        paths[case.id] = [(chance.choice(readers), chance.choice([*WAYS])) for _ in range(4)]
        for actor, name in paths[case.id]:
            if name.startswith("copy") and not await reads(world.api.as_agent(actor), case):
                continue
            await world.api.as_agent(actor).post(WAYS[name].query, **WAYS[name].given(case))
    after = await world.readers()
    for case in cases:
        if path := paths.get(case.id):
            was, now = before[voucher(case.text)], after[voucher(case.text)]
            known_to = {actor for actor, _ in path}
            if not world.keeps_from_lending and any(n.startswith("lend") for _, n in path):
                known_to.add("stranger")
            check(world, was, now, known_to, (rule, mark, shared, path))


async def test_the_user_in_person_may_do_each(open_world: Any) -> None:
    world = await open_world("SCOPED", "PRIVATE", shared=False)
    cases = await world.cases(world.api, len(WAYS))
    for (name, way), case in zip(WAYS.items(), cases, strict=True):
        answer = await world.api.post(way.query, **way.given(case))
        refused = name.startswith("lend")  # beyond the receiver's clearance, also for the user
        assert ("errors" in answer) is refused, (name, answer)


@pytest.mark.parametrize("actor", ACTORS)
async def test_where_the_user_decided_nothing_agents_open_and_close(
    open_world: Any, actor: str
) -> None:
    """DIFF-15: between OPEN and SCOPED, and into other domains that no team shares."""
    world = await open_world(None, None, shared=False)
    agent = world.api.as_agent(actor)
    for name in ("set OPEN", "set SCOPED", f"move to {ELSEWHERE}", "set OPEN", "set PRIVATE"):
        case = (await world.cases(world.api, 1))[0]
        await agent(WAYS[name].query, **WAYS[name].given(case))
    way, case = WAYS[f"move to {SHARED}"], (await world.cases(world.api, 1))[0]
    assert await agent.code(way.query, **way.given(case)) == "FORBIDDEN"


KEPT = {  # what keeps a note from being destroyed by an agent; None: nothing does
    "written by the user": lambda w, a: w.cases(w.api, 1),
    "pinned by its agent": lambda w, a: w.cases(a, 1, pinned=True),
    "load-bearing": lambda w, a: w.cases(a, 1, loadBearing=True),
    "pinned by the user, unpinned by the agent": None,
    "revised by the user": None,
}


@pytest.mark.parametrize("actor", ACTORS)
async def test_no_agent_destroys_what_is_kept(open_world: Any, actor: str) -> None:
    world = await open_world(None, None, shared=False)
    agent = world.api.as_agent(actor)
    for kept, way in itertools.product(KEPT, DESTROY.values()):
        await try_to_destroy(world, agent, kept, way)


async def try_to_destroy(world: World, agent: Client, kept: str, way: Way) -> None:
    make = KEPT[kept]
    case = (await (make(world, agent) if make else world.cases(agent, 1)))[0]
    if kept.startswith("pinned by the user"):
        await world.api(WAYS["pin OPEN"].query, id=case.id, to=None)
        await agent(WAYS["unpin"].query, id=case.id, to=None, pinned=False)
    if kept.startswith("revised"):
        await world.api(
            "mutation M($id: ID!, $t: String) { revise(id: $id, title: $t) { id } }",
            id=case.id,
            t="Gate",
        )
    assert await agent.code(way.query, **way.given(case)) == "FORBIDDEN", (kept, way)
    assert await world.api("query N($id: ID!) { note(id: $id) { id } }", id=case.id)
    free = (await world.cases(agent, 1))[0]
    data = await agent(way.query, **way.given(free))
    assert data["forget"]["forgotten"] == 1


def test_each_mutation_of_the_schema_has_a_row() -> None:
    ways = {
        way.query.split("{", 1)[1].split("(", 1)[0].strip()
        for way in (*WAYS.values(), *DESTROY.values())
    }
    assert {*SCHEMA.mutation_type.fields} == ways | {*REST}
    assert not ways & {*REST}


async def test_other_users_reach_no_note(open_world: Any, new_user: Callable[[], str]) -> None:
    """A member of the team that the place is shared with, that one's agent, and a stranger: to all
    of them a note is one that does not exist."""
    world = await open_world(None, None, shared=True)
    mate = world.api.as_user(world.mate)
    stranger = world.api.as_user(new_user())
    cases = await world.cases(world.api, len(WAYS))
    before = await world.readers()
    for client in (mate, mate.as_agent("worker"), stranger, stranger.as_agent("worker")):
        if client.agent is None:
            await client(REGISTER, i={"id": "stranger"})
        for (name, way), case in zip({**WAYS, **DESTROY}.items(), cases, strict=False):
            if not name.startswith(("copy", "by a query")):
                spawns = client.agent is not None and name == "lend to a new agent"
                expected = "FORBIDDEN" if spawns else "NOT_FOUND"  # a worker may not create agents
                assert await client.code(way.query, **way.given(case)) == expected, name
    assert await world.readers() == before


def value_of(kind: Any) -> object:
    """A value of an input type, the shortest that there is."""
    if is_non_null_type(kind):
        return value_of(kind.of_type)
    if is_list_type(kind):
        return [value_of(kind.of_type)]
    if is_input_object_type(kind):
        needed = {n: f.type for n, f in kind.fields.items() if is_required_input_field(f)}
        return {name: value_of(each) for name, each in needed.items()}
    if is_enum_type(kind):
        return next(iter(kind.values))
    plain = {"Int": 1, "Float": 0.5, "Boolean": True, "DateTime": "2026-02-28T12:00:00Z"}
    return plain.get(kind.name, "thing")


@pytest.mark.parametrize("name", [name for name, why in REST.items() if why is IN_PERSON])
async def test_what_is_for_the_user_in_person_is_for_no_agent(api: Client, name: str) -> None:
    await api(REGISTER, i={"id": "helper", "role": "ASSISTANT", "canSeePrivate": True})
    field = SCHEMA.mutation_type.fields[name]
    needed = {n: a.type for n, a in field.args.items() if is_required_argument(a)}
    declared = ", ".join(f"${n}: {kind}" for n, kind in needed.items())
    passed = ", ".join(f"{n}: ${n}" for n in needed)
    shown = "" if is_leaf_type(get_named_type(field.type)) else "{ __typename }"
    query = (
        f"mutation M({declared}) {{ {name}({passed}) {shown} }}"
        if needed
        else (f"mutation {{ {name} {shown} }}")
    )
    given = {n: value_of(kind) for n, kind in needed.items()}
    assert await api.as_agent("helper").code(query, **given) == "FORBIDDEN"
