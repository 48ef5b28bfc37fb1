"""What an agent repeats, word by word, reaches nobody whom its user did not let read it: a team,
many notes at once, another agent. And an agent with the rights of an admin is an agent."""

from typing import Any

import pytest
from rights_table import DESTROY, ELSEWHERE, PLACE, WAYS
from rights_world import MANY, SHARE, check, voucher

from graphmem.operations import authentication

BOARD = """mutation M($v: JSON!, $t: ID!) {
  postBoard(key: "k", value: $v, team: $t) { key } }"""
TO_A_TEAM = {
    "board": (BOARD, lambda text: {"v": text}),
    "board, within JSON": (BOARD, lambda text: {"v": {"rows": [{"said": text}]}}),
    "skill": (
        """mutation M($x: String!, $t: ID!) {
          addSkill(name: "Gate", procedure: $x, team: $t) { id } }""",
        lambda text: {"x": text},
    ),
    "procedure": (
        """mutation M($x: String!, $t: ID!) {
          setSop(domain: "work", content: $x, team: $t) { domain } }""",
        lambda text: {"x": text},
    ),
}


async def test_an_agent_repeats_to_a_team_only_what_is_shared_with_it(open_world: Any) -> None:
    world = await open_world(None, None, shared=False)
    case = (await world.cases(world.api, 1))[0]
    boss = world.api.as_agent("boss")
    for name, (query, given) in TO_A_TEAM.items():
        assert await boss.code(query, t=world.team, **given(case.text)) == "FORBIDDEN", name
        assert await boss(query, t=world.team, **given(f"What no note says, for the {name}."))
    await world.api(SHARE, d=PLACE, t=world.team)
    for query, given in TO_A_TEAM.values():
        assert await boss(query, t=world.team, **given(case.text))


async def test_a_copy_among_many_is_found(open_world: Any) -> None:
    """Also as the last of as many as one write takes, and in any field."""
    world = await open_world("PRIVATE", None, shared=False)
    agent = world.api.as_agent("boss")
    hidden = await world.cases(agent, 3)
    notes: list[dict[str, Any]] = [
        {"content": f"Brick number {i} lies in the wall of the kiln.", "domain": ELSEWHERE}
        for i in range(500)
    ]
    notes[0]["content"], notes[321]["title"] = hidden[0].text, hidden[1].text
    notes[499]["tags"] = [hidden[2].text]
    results = (await agent(MANY, notes=notes))["rememberMany"]["results"]
    refused = {i for i, row in enumerate(results) if row["error"]}
    assert refused == {0, 321, 499}
    assert {results[i]["error"]["code"] for i in refused} == {"FORBIDDEN"}


async def test_an_agent_with_the_rights_of_an_admin_is_an_agent(
    open_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way: an admin administers, and decides for nobody who reads what. No key gives an agent
    these rights; who opens its access in another way gets no further."""
    world = await open_world("PRIVATE", "USER_ONLY", shared=True)
    boss, opened = world.api.as_agent("boss"), authentication.open_access

    async def as_admin(*args: Any, **given: Any) -> Any:
        return await opened(*args, **{**given, "admin": True})

    monkeypatch.setattr(authentication, "open_access", as_admin)
    for author in (world.api, boss):
        cases = await world.cases(author, len(WAYS))
        before = await world.readers()
        for way, case in zip(WAYS.values(), cases, strict=True):
            await boss.post(way.query, **way.given(case))
        after = await world.readers()
        for name, case in zip(WAYS, cases, strict=True):
            was, now = before[voucher(case.text)], after[voucher(case.text)]
            if not name.startswith("copy") or "agent boss" in was:
                check(world, was, now, {"boss"}, (name, author.agent))
    case = (await world.cases(world.api, 1))[0]
    for way in DESTROY.values():
        await boss.post(way.query, **way.given(case))
    assert await world.api("query N($id: ID!) { note(id: $id) { id } }", id=case.id)


async def test_what_is_lent_is_not_copied(open_world: Any) -> None:
    world = await open_world(None, "SCOPED", shared=False)
    case = (await world.cases(world.api, 1))[0]
    lend, copied = WAYS["lend"], WAYS[f"copy to {ELSEWHERE} None"]
    stranger = world.api.as_agent("stranger")
    await world.api.as_agent("boss")(lend.query, **lend.given(case))
    assert await stranger.code(copied.query, **copied.given(case)) == "FORBIDDEN"
