"""Teams through GraphQL: who sets them, who is told of them, and what comes and goes with them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from graphmem.domain.teams import MAX_LED, MAX_MEMBERS

SET = """mutation T($id: ID!, $name: String, $members: [ID!]!) {
  registerTeam(id: $id, name: $name, members: $members) { id name members { id name } } }"""
LEAVE = "mutation L($id: ID!) { leaveTeam(id: $id) }"
JOIN = "mutation J($id: ID!) { joinTeam(id: $id) { id members { id } invited } }"
INVITED = "{ invitations { team name invitedBy at } }"
SHARE = 'mutation S($id: ID!) { shareDomain(domain: "work", team: $id) { id } }'
TEAMS = "{ viewer { user { id teams { id name members { id teams { id } agents { id } } } } } }"
ANSWER = dict[str, Any]
Ask = Callable[..., Awaitable[ANSWER]]


def ids(answer: ANSWER) -> list[str]:
    """The teams of the viewer."""
    return [team["id"] for team in answer["viewer"]["user"]["teams"]]


def code(answer: ANSWER) -> str | None:
    """The code of the first error."""
    errors = answer.get("errors")
    return errors[0]["extensions"]["code"] if errors else None


async def test_a_team_has_its_members_in_their_order(api: Any, new_user: Any) -> None:
    ann, bob, ops = api.user, new_user(), new_user()
    made = await api(SET, id=ops, name="Operations", members=[ann, bob, ann])
    assert made["registerTeam"] == {
        "id": ops,
        "name": "Operations",
        "members": [{"id": ann, "name": ann}, {"id": bob, "name": bob}],
    }
    seen = await api.as_user(bob)(TEAMS)
    assert seen["viewer"]["user"]["teams"] == [
        {
            "id": ops,
            "name": "Operations",
            "members": [
                {"id": ann, "teams": [{"id": ops}], "agents": []},
                {"id": bob, "teams": [{"id": ops}], "agents": []},
            ],
        }
    ]
    other = new_user()
    await api(SET, id=other, members=[ann])
    assert ids(await api(TEAMS)) == [ops, other]
    # Of another member only common teams are told, and nothing of an agent or a rule.
    mates = (await api.as_user(bob)(TEAMS))["viewer"]["user"]["teams"][0]["members"]
    assert mates[0]["teams"] == [{"id": ops}]


async def test_changes_count_from_the_next_request(api: Any, new_user: Any) -> None:
    ann, bob, ops = api.user, new_user(), new_user()
    await api(SET, id=ops, members=[ann, bob])
    desk = api.as_user(bob).as_agent("desk")
    assert ids(await desk(TEAMS)) == [ops]
    await api(SET, id=ops, members=[ann])
    assert ids(await desk(TEAMS)) == []
    assert ids(await api.as_user(bob)(TEAMS)) == []
    assert await api.as_user(bob).code(LEAVE, id=ops) == "NOT_FOUND"
    await api(SET, id=ops, members=[ann, bob])
    assert ids(await desk(TEAMS)) == [ops]


async def test_no_agent_sets_or_leaves_a_team(api: Any, new_user: Any) -> None:
    ops = new_user()
    await api(SET, id=ops, members=[api.user])
    for role in ("WORKER", "ORCHESTRATOR", "ASSISTANT"):
        agent = {"id": role.lower(), "role": role, "canSeePrivate": True}
        await api("mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }", i=agent)
        client = api.as_agent(role.lower())
        for team in (ops, new_user()):
            assert await client.code(SET, id=team, members=[api.user]) == "FORBIDDEN"
            assert await client.code(LEAVE, id=team) == "FORBIDDEN"
    assert ids(await api(TEAMS)) == [ops]


async def test_only_the_first_member_or_an_admin_says_who_is_in(keyed: Any, new_user: Any) -> None:
    ann, bob, eve, ops = (new_user() for _ in range(4))
    as_ann, as_bob, as_eve = await keyed(ann), await keyed(bob), await keyed(eve)
    as_admin, agent = await keyed(new_user(), admin=True), await keyed(ann, "desk")
    assert code(await as_eve(SET, id=ops, members=[ann, bob])) == "BAD_USER_INPUT"
    assert code(await as_ann(SET, id=ops, members=[ann, bob])) is None
    assert code(await as_bob(JOIN, id=ops)) is None
    assert code(await as_bob(SET, id=ops, members=[bob])) == "FORBIDDEN"
    assert code(await as_bob(SET, id=ops, members=[ann, bob, eve])) == "FORBIDDEN"
    assert code(await as_bob(SET, id=ops, name="Mine", members=[ann])) == "FORBIDDEN"
    assert code(await agent(SET, id=ops, members=[ann])) == "FORBIDDEN"
    assert code(await as_bob(SET, id=ops, members=[ann])) is None  # to leave
    assert ids((await as_bob(TEAMS))["data"]) == []
    added = await as_admin(SET, id=ops, members=[ann, bob, eve])
    assert [m["id"] for m in added["data"]["registerTeam"]["members"]] == [ann, bob, eve]
    assert ids((await as_admin(TEAMS))["data"]) == []  # an admin reads no more than its user
    assert code(await as_ann(LEAVE, id=ops)) is None
    assert code(await as_bob(SET, id=ops, members=[bob, eve])) is None  # now the first one


async def test_an_invitation_gives_nothing_until_the_person_agrees(
    keyed: Any, new_user: Any
) -> None:
    ann, bob, ops = (new_user() for _ in range(3))
    as_ann, as_bob, agent = await keyed(ann), await keyed(bob), await keyed(bob, "desk")
    made = (await as_ann(SET, id=ops, name="Operations", members=[ann, bob]))["data"]
    assert made["registerTeam"]["members"] == [{"id": ann, "name": ann}]
    board = "{ board { key value } }"
    post = """mutation P($id: ID!) { postBoard(key: "a", value: 1, team: $id) { version } }"""
    assert code(await as_ann(post, id=ops)) is None
    assert ids((await as_bob(TEAMS))["data"]) == []
    assert (await as_bob(board))["data"] == {"board": []}
    assert code(await as_bob(SHARE, id=ops)) == code(await as_bob(post, id=ops)) == "NOT_FOUND"
    [told] = (await as_bob(INVITED))["data"]["invitations"]
    assert told == {"team": ops, "name": "Operations", "invitedBy": ann, "at": told["at"]}
    assert (await agent(INVITED))["data"] == {"invitations": []}
    assert code(await agent(JOIN, id=ops)) == "FORBIDDEN"
    assert code(await (await keyed(new_user()))(JOIN, id=ops)) == "NOT_FOUND"

    joined = (await as_bob(JOIN, id=ops))["data"]["joinTeam"]
    assert joined == {"id": ops, "members": [{"id": ann}, {"id": bob}], "invited": []}
    assert (await as_bob(board))["data"] == {"board": [{"key": "a", "value": 1}]}
    assert (await as_bob(INVITED))["data"] == {"invitations": []}
    assert (await as_bob(JOIN, id=ops))["data"]["joinTeam"] == joined  # said again
    assert code(await as_ann(SET, id=ops, members=[ann])) is None
    assert code(await as_bob(JOIN, id=ops)) == "NOT_FOUND"  # it was for once


async def test_an_invitation_is_refused_and_taken_back(keyed: Any, new_user: Any) -> None:
    ann, bob, eve, ops = (new_user() for _ in range(4))
    as_ann, as_bob, as_eve = await keyed(ann), await keyed(bob), await keyed(eve)
    asked = "{ viewer { user { teams { members { id } invited } } } }"

    async def told() -> Any:
        return (await as_ann(asked))["data"]["viewer"]["user"]["teams"]

    await as_ann(SET, id=ops, members=[ann, bob, eve])
    assert await told() == [{"members": [{"id": ann}], "invited": sorted([bob, eve])}]
    assert code(await as_bob(LEAVE, id=ops)) is None
    assert code(await as_bob(JOIN, id=ops)) == "NOT_FOUND"
    await as_ann(SET, id=ops, members=[ann])
    assert code(await as_eve(JOIN, id=ops)) == "NOT_FOUND"
    assert await told() == [{"members": [{"id": ann}], "invited": []}]
    events = """{ events(first: 50) { summary actor } }"""
    heard = [
        (e["summary"], e["actor"])
        for e in (await as_eve(events))["data"]["events"]
        if "team" in e["summary"]
    ]
    assert heard == [(f"invited to team {ops}", f"user:{ann}")]
    both = await asyncio.gather(as_ann(SET, id=ops, members=[ann, bob]), as_bob(LEAVE, id=ops))
    assert {code(answer) for answer in both} <= {None, "NOT_FOUND", "CONFLICT"}


async def test_an_outsider_is_told_nothing_of_a_team(keyed: Any, new_user: Any) -> None:
    ann, eve, ops = (new_user() for _ in range(3))
    as_ann, as_eve = await keyed(ann), await keyed(eve)
    desk = await keyed(eve, "desk")
    assert code(await as_ann(SET, id=ops, name="Operations", members=[ann])) is None
    taken = await as_eve(SET, id=ops, members=[eve])
    free = await as_eve(LEAVE, id=new_user())
    left = await as_eve(LEAVE, id=ops)
    assert code(taken) == code(free) == code(left) == "NOT_FOUND"
    assert free["errors"][0]["message"] == left["errors"][0]["message"]
    assert code(await desk(SET, id=ops, members=[eve])) == "FORBIDDEN"
    assert ids((await as_eve(TEAMS))["data"]) == []
    assert [
        m["id"] for m in (await as_ann(TEAMS))["data"]["viewer"]["user"]["teams"][0]["members"]
    ] == [ann]
    # What everybody has left still belongs to who was there: nobody takes it up but an admin.
    assert code(await as_ann(LEAVE, id=ops)) is None
    assert code(await as_eve(SET, id=ops, members=[eve])) == "NOT_FOUND"
    assert code(await as_ann(SET, id=ops, members=[ann])) == "NOT_FOUND"


@pytest.mark.parametrize(
    "odd", ["t:ops", "u:ann", "ops/knowledge", "ops/../x", "", " ", "*", "~", "a" * 201, "a\u0000b"]
)
async def test_odd_ids_are_refused(api: Any, new_user: Any, odd: str) -> None:
    assert await api.code(SET, id=odd, members=[api.user]) == "BAD_USER_INPUT"
    assert await api.code(SET, id=new_user(), members=[api.user, odd]) == "BAD_USER_INPUT"
    assert await api.code(LEAVE, id=odd) == "BAD_USER_INPUT"


async def test_a_team_named_like_a_user_gives_nothing_of_that_user(api: Any, new_user: Any) -> None:
    eve = new_user()
    secret = (await api.remember("The vault code is 4711.", visibility="OPEN"))["note"]["id"]
    for name in (api.user, api.user.upper(), f"{api.user}."):
        await api.as_user(eve)(SET, id=name, members=[eve])
    client = api.as_user(eve)
    note = "query N($id: ID!) { note(id: $id) { id } }"
    assert await client.code(note, id=secret) == "NOT_FOUND"
    for scope in ("USER", "TEAM"):
        assert await client.recall("vault code", scope=scope, explicit=True) == []
    assert secret not in str(await client("{ events(first: 100) { subjectId summary } }"))
    assert len(await api.recall("vault code")) == 1


async def test_teams_are_bounded(keyed: Any, new_user: Any) -> None:
    ann = new_user()
    as_ann = await keyed(ann)
    many = [ann, *(f"{ann}.{i}" for i in range(MAX_MEMBERS))]
    assert code(await as_ann(SET, id=new_user(), members=many)) == "BAD_USER_INPUT"
    assert code(await as_ann(SET, id=new_user(), members=[])) == "BAD_USER_INPUT"
    prefix = new_user()
    answers = await asyncio.gather(
        *(as_ann(SET, id=f"{prefix}.{i}", members=[ann]) for i in range(MAX_LED + 5))
    )
    made = [a for a in answers if code(a) is None]
    assert len(made) == MAX_LED
    assert {code(a) for a in answers} <= {None, "FORBIDDEN", "CONFLICT"}
    assert len(ids((await as_ann(TEAMS))["data"])) == MAX_LED


async def test_two_who_set_a_team_at_once_lose_nothing(api: Any, new_user: Any) -> None:
    ops, others = new_user(), [new_user() for _ in range(8)]
    await api(SET, id=ops, members=[api.user])
    answers = await asyncio.gather(
        *(api.post(SET, id=ops, members=[api.user, each]) for each in others)
    )
    done = [a["data"]["registerTeam"] for a in answers if not a.get("errors")]
    assert done
    final = (await api(TEAMS))["viewer"]["user"]["teams"][0]
    assert final["members"][0]["id"] == api.user
    assert len(final["members"]) == 2
    for each in others:
        member = each in [m["id"] for m in final["members"]]
        assert ids(await api.as_user(each)(TEAMS)) == ([ops] if member else [])


async def test_who_comes_and_goes_is_told_in_person(api: Any, new_user: Any) -> None:
    bob, ops = new_user(), new_user()
    await api(SET, id=ops, members=[api.user, bob])
    await api(SET, id=ops, members=[api.user])
    asked = "query E($id: ID) { events(subjectId: $id) { type channel summary actor } }"
    told = (await api.as_user(bob)(asked, id=ops))["events"]
    assert [event["summary"] for event in told] == [
        f"member of team {ops}",
        f"no longer a member of team {ops}",
    ]
    assert {event["channel"] for event in told} == {"state_change"}
    assert (await api.as_user(bob).as_agent("desk")(asked, id=ops))["events"] == []
    assert len((await api(asked, id=ops))["events"]) == 1
