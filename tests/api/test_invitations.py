"""Invitations: they make nobody, touch nobody, tell nothing of who is there, and can be refused."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from graphmem.domain.teams import INVITED_FOR
from graphmem.services.teams import teams

SET = """mutation T($id: ID!, $name: String, $members: [ID!]!) {
  registerTeam(id: $id, name: $name, members: $members) { id name invited members { id } } }"""
JOIN = "mutation J($id: ID!) { joinTeam(id: $id) { id } }"
LEAVE = "mutation L($id: ID!) { leaveTeam(id: $id) }"
DECLINE = "mutation D($id: ID!) { declineInvitation(team: $id) }"
BLOCK = """mutation B($team: ID, $user: ID, $block: Boolean) {
  blockInvitations(team: $team, user: $user, block: $block) { team user } }"""
BLOCKS = "{ invitationBlocks { team user } }"
INVITED = "{ invitations { team name invitedBy at } }"
EVENTS = "{ events(first: 500) { summary } }"
TEAMS = "{ viewer { user { teams { id invited members { id } } } } }"
REMEMBER = "mutation R($t: String!) { remember(input: {content: $t}) { operation } }"
USER = "MATCH (u:User {id: $id}) RETURN u.accessVersion AS version"
ERASE = "mutation E($id: ID!) { eraseUser(confirm: $id) { complete } }"
NAMED = """MATCH (n) WHERE any(name IN keys(n) WHERE n[name] IS :: STRING AND n[name] = $id)
RETURN labels(n) AS labels"""
Ask = Callable[..., Awaitable[dict[str, Any]]]


class People:
    """Makes users with keys, so that nobody is an admin."""

    def __init__(self, keyed: Callable[..., Any], new_user: Callable[[], str]) -> None:
        self.keyed, self.new_user = keyed, new_user

    async def one(self) -> tuple[str, Ask]:
        user = self.new_user()
        ask = await self.keyed(user)
        assert code(await ask(REMEMBER, t="Tea is at four.")) is None
        return user, ask


@pytest.fixture
def people(keyed: Any, new_user: Any) -> People:
    return People(keyed, new_user)


def code(answer: dict[str, Any]) -> str | None:
    """The code of the first error."""
    errors = answer.get("errors")
    return errors[0]["extensions"]["code"] if errors else None


async def invited_to(ask: Ask) -> list[str]:
    return [each["team"] for each in (await ask(INVITED))["data"]["invitations"]]


async def heard(ask: Ask) -> list[str]:
    events = (await ask(EVENTS))["data"]["events"]
    return [each["summary"] for each in events if "invited" in each["summary"]]


async def test_an_invitation_makes_nobody_and_is_the_same_whether_there_is_such_a_user(
    people: People, new_user: Any, cypher: Any
) -> None:
    ann, as_ann = await people.one()
    bob, as_bob = await people.one()
    nobody, erased = new_user(), new_user()
    as_erased = await people.keyed(erased)
    await as_erased(REMEMBER, t="Tea is at five.")
    assert (await as_erased(ERASE, id=erased))["data"]["eraseUser"]["complete"]
    blocking, as_blocking = await people.one()
    await as_blocking(BLOCK)
    answers = {}
    for name in (bob, nobody, erased, blocking):
        team = new_user()
        told = [
            await as_ann(SET, id=team, name="Ops", members=[ann, name]),
            await as_ann(SET, id=team, members=[ann, name]),
            await as_ann(TEAMS),
            await as_ann(SET, id=team, members=[ann]),
            await as_ann(SET, id=team, members=[ann, name]),
            await as_ann(LEAVE, id=team),
            await as_ann(EVENTS),
        ]
        events = told.pop()["data"]["events"]
        told.append({"heard": len([each for each in events if team in each["summary"]])})
        answers[name] = str(told).replace(name, "NAME").replace(team, "TEAM")
    assert len(set(answers.values())) == 1, answers
    for name in (nobody, erased):
        assert await cypher(USER, id=name) == []
    assert await heard(as_bob)
    assert await invited_to(as_bob) == []  # who gave it has left


async def test_no_invitation_disturbs_whom_it_invites(
    people: People, new_user: Any, cypher: Any
) -> None:
    ann, as_ann = await people.one()
    bob, as_bob = await people.one()
    [before] = await cypher(USER, id=bob)
    mine = [new_user() for _ in range(4)]

    async def nag(team: str) -> None:
        for _ in range(5):
            assert code(await as_ann(SET, id=team, members=[ann, bob])) is None
            assert code(await as_ann(SET, id=team, members=[ann])) is None

    async def write() -> list[str | None]:
        return [code(await as_bob(REMEMBER, t=f"Kiln {i} is hot.")) for i in range(20)]

    written, *_ = await asyncio.gather(write(), *map(nag, mine))
    assert written == [None] * 20
    assert await cypher(USER, id=bob) == [before]
    assert len(await heard(as_bob)) <= len(mine)  # one for whoever invites, however often
    for team in mine:
        await as_ann(SET, id=team, members=[ann, bob])
    assert len(await heard(as_bob)) <= len(mine)
    assert set(await invited_to(as_bob)) == set(mine)


async def test_invitations_are_declined(people: People, new_user: Any) -> None:
    ann, as_ann = await people.one()
    bob, as_bob = await people.one()
    agent, team = await people.keyed(bob, "desk"), new_user()
    assert code(await as_bob(DECLINE, id=team)) == "NOT_FOUND"
    await as_ann(SET, id=team, members=[ann, bob])
    assert code(await as_bob(DECLINE, id=new_user())) == "NOT_FOUND"
    assert code(await agent(DECLINE, id=team)) == "FORBIDDEN"
    assert (await as_bob(DECLINE, id=team))["data"] == {"declineInvitation": True}
    assert await invited_to(as_bob) == []
    assert code(await as_bob(DECLINE, id=team)) == "NOT_FOUND"
    assert code(await as_bob(JOIN, id=team)) == "NOT_FOUND"
    [seen] = (await as_ann(TEAMS))["data"]["viewer"]["user"]["teams"]
    assert seen["invited"] == [bob]  # nobody is told of it
    before = await heard(as_bob)
    await as_ann(SET, id=team, members=[ann, bob])
    assert (await invited_to(as_bob), await heard(as_bob)) == ([], before)  # not shown again
    assert code(await as_bob(JOIN, id=team)) is None  # who comes round, may


@pytest.mark.parametrize("blocked", ["team", "user", "both", "all"])
async def test_invitations_are_blocked(people: People, new_user: Any, blocked: str) -> None:
    ann, as_ann = await people.one()
    cy, as_cy = await people.one()
    bob, as_bob = await people.one()
    agent = await people.keyed(bob, "desk")
    team, other, of_cy = (new_user() for _ in range(3))
    given = {
        "team": {"team": team},
        "user": {"user": ann},
        "both": {"team": team, "user": ann},
        "all": {},
    }[blocked]
    assert code(await agent(BLOCK, **given)) == "FORBIDDEN"
    kept = {"team": None, "user": None, **given}
    assert (await as_bob(BLOCK, **given))["data"]["blockInvitations"] == [kept]
    assert (await as_bob(BLOCKS))["data"]["invitationBlocks"] == [kept]
    assert (await agent(BLOCKS))["data"]["invitationBlocks"] == []
    for each in (team, other):
        made = await as_ann(SET, id=each, members=[ann, bob])
        assert made["data"]["registerTeam"]["invited"] == [bob]  # nobody is told of the block
    await as_cy(SET, id=of_cy, members=[cy, bob])
    reached = {"team": {other, of_cy}, "user": {of_cy}, "both": {other, of_cy}, "all": set[str]()}
    assert set(await invited_to(as_bob)) == reached[blocked]
    assert len(await heard(as_bob)) == (0 if blocked == "all" else 1)
    for each in {team, other, of_cy} - reached[blocked]:
        assert code(await as_bob(JOIN, id=each)) == "NOT_FOUND"
    assert (await as_bob(BLOCK, **given, block=False))["data"]["blockInvitations"] == []
    assert code(await as_bob(JOIN, id=team)) is None


async def test_an_invitation_ends_with_who_gave_it_and_with_time(
    people: People, new_user: Any, cypher: Any
) -> None:
    ann, as_ann = await people.one()
    bob, as_bob = await people.one()
    cy, as_cy = await people.one()
    leaves, erases = new_user(), new_user()
    for team in (leaves, erases):
        await as_ann(SET, id=team, members=[ann, cy])
        await as_cy(JOIN, id=team)
        await as_ann(SET, id=team, members=[ann, cy, bob])
    assert set(await invited_to(as_bob)) == {leaves, erases}
    await as_ann(LEAVE, id=leaves)
    assert await invited_to(as_bob) == [erases]
    assert code(await as_bob(JOIN, id=leaves)) == "NOT_FOUND"
    await as_cy(SET, id=leaves, members=[cy, ann])
    await as_ann(JOIN, id=leaves)
    assert await invited_to(as_bob) == [erases]  # nor does it come back with them
    old = "MATCH (i:Invitation {team: $t, user: $u}) SET i.at = i.at - $past"
    await cypher(old, t=erases, u=bob, past=INVITED_FOR + timedelta(minutes=1))
    assert await invited_to(as_bob) == []
    await as_ann(SET, id=erases, members=[ann, cy])
    await as_ann(SET, id=erases, members=[ann, cy, bob])
    assert await invited_to(as_bob) == [erases]
    await as_bob(BLOCK, user=ann)
    await as_bob(BLOCK, user=ann, block=False)
    await as_bob(BLOCK, user=ann, team=leaves)
    assert (await as_ann(ERASE, id=ann))["data"]["eraseUser"]["complete"]
    assert await invited_to(as_bob) == []
    assert code(await as_bob(JOIN, id=erases)) == "NOT_FOUND"
    assert await cypher(NAMED, id=ann) == []


async def test_who_is_erased_is_invited_no_longer(
    people: People, new_user: Any, cypher: Any
) -> None:
    ann, as_ann = await people.one()
    bob, as_bob = await people.one()
    team = new_user()
    await as_ann(SET, id=team, members=[ann, bob])
    await as_bob(BLOCK, user=ann)
    assert (await as_bob(ERASE, id=bob))["data"]["eraseUser"]["complete"]
    [seen] = (await as_ann(TEAMS))["data"]["viewer"]["user"]["teams"]
    assert seen["invited"] == []
    assert await cypher(NAMED, id=bob) == []


async def test_whoever_invites_is_bounded(
    people: People, new_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teams, "MAX_INVITED", 3)
    ann, as_ann = await people.one()
    team, others = new_user(), [new_user() for _ in range(4)]
    assert code(await as_ann(SET, id=team, members=[ann, *others])) == "FORBIDDEN"
    assert code(await as_ann(SET, id=team, members=[ann, *others[:3]])) is None
    assert code(await as_ann(SET, id=team, members=[ann])) is None
    assert code(await as_ann(SET, id=team, members=[ann, others[3]])) == "FORBIDDEN"
    assert code(await as_ann(SET, id=new_user(), members=[ann, others[3]])) == "FORBIDDEN"


async def test_who_leaves_and_comes_back_has_invited_all_the_same(
    people: People, new_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teams, "MAX_INVITED", 4)
    ann, as_ann = await people.one()
    cy, as_cy = await people.one()
    bob, as_bob = await people.one()
    team, others = new_user(), [new_user() for _ in range(2)]
    await as_ann(SET, id=team, members=[ann, cy])
    await as_cy(JOIN, id=team)
    assert code(await as_ann(SET, id=team, members=[ann, cy, bob, *others])) is None
    assert code(await as_bob(DECLINE, id=team)) is None
    heard_once = await heard(as_bob)
    for lead, as_lead, next_one, as_next in ((ann, as_ann, cy, as_cy), (cy, as_cy, ann, as_ann)):
        await as_lead(LEAVE, id=team)
        assert code(await as_next(SET, id=team, members=[next_one, lead, bob, *others])) is None
        assert code(await as_lead(JOIN, id=team)) is None
        assert (await invited_to(as_bob), await heard(as_bob)) == ([], heard_once)
    more = [new_user() for _ in range(4)]
    assert code(await as_ann(SET, id=new_user(), members=[ann, *more])) == "FORBIDDEN"
    assert code(await as_ann(LEAVE, id=team)) is None
    assert code(await as_ann(SET, id=new_user(), members=[ann, *more])) == "FORBIDDEN"


async def test_nobody_is_told_of_more_than_a_few(people: People, new_user: Any) -> None:
    bob, as_bob = await people.one()

    async def invite() -> None:
        ann, as_ann = await people.one()
        for _ in range(7):
            await as_ann(SET, id=new_user(), members=[ann, bob])

    for _ in range(4):
        await invite()
    assert len(await heard(as_bob)) == 3  # 21 wait then
    assert len(await invited_to(as_bob)) == 4 * 5  # five of each
