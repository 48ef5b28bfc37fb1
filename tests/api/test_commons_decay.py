"""What a team knows and its skills fade by a half-life of their own, and come back."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log
from typing import Any

import pytest
from aged_notes import JobHeartbeat
from own_batches import keep_batches_to

from graphmem.services.context import Context
from graphmem.services.jobs import decay

YEAR = 8760
TEAM = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
PROPOSE = (
    """mutation P($id: ID!, $team: ID) { proposeKnowledge(noteId: $id, team: $team) { id } }"""
)
DECIDE = """mutation D($id: ID!) { decideProposal(id: $id, decision: COMMIT) {
  knowledge { id } } }"""
KNOWN = """query K { commons(topic: "SLA uptime enterprise") { id version score
  verifiedBy { id } } }"""
VERIFY = """mutation V($id: ID!, $right: Boolean) { verifyKnowledge(id: $id, right: $right) {
  version } }"""
REVISE = """mutation R($id: ID!) { reviseKnowledge(id: $id, content: "The uptime is 99.8%.") {
  proposal { id } } }"""
WITHDRAW = "mutation W($id: ID!) { withdrawKnowledge(id: $id) }"
ADD = """mutation S($team: ID) { addSkill(name: "Fire the kiln", procedure: "Heat it slowly.",
  team: $team) { id version } }"""
USED = "mutation U($id: ID!) { reportSkill(id: $id, success: true) { version } }"
SKILLS = "{ skills { id version } }"
EVENTS = """query E($s: ID) { events(subjectId: $s, types: ["DECAY"], first: 100) {
  summary actor channel data } }"""
RECALL = """query R { recall(input: {query: "SLA uptime", scope: TEAM}) { hits { score
  note { id } } } }"""


class Commons:
    """A team of two, what it knows and a skill of it."""

    def __init__(self, context: Context, here: Any, bo: Any, team: str) -> None:
        self.clock, self.ann, self.bo, self.team = here.clock, here.api, bo, team
        self.service = replace(context, clock=here.clock)
        self.known = self.skill = ""

    async def fill(self) -> None:
        """The two people, knowledge that both consented to, and a skill of Ann's."""
        await self.ann(TEAM, id=self.team, of=[self.ann.user, self.bo.user])
        await self.bo(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
        note = (await self.ann.remember("Our SLA has 99.9% uptime."))["note"]["id"]
        made = (await self.ann(PROPOSE, id=note, team=self.team))["proposeKnowledge"]["id"]
        done = (await self.bo.as_agent("lead")(DECIDE, id=made))["decideProposal"]
        self.known = done["knowledge"]["id"]
        self.skill = (await self.ann(ADD, team=self.team))["addSkill"]["id"]

    async def sweep(self, hours: float = 0.0) -> None:
        """Let time pass, and sweep."""
        self.clock.move(hours)
        await decay.sweep_decay(self.service, JobHeartbeat())  # type: ignore[arg-type]

    async def told(self, client: Any, subject: str) -> list[str]:
        """What somebody hears of it."""
        return [each["summary"] for each in (await client(EVENTS, s=subject))["events"]]

    async def found(self, client: Any = None) -> tuple[list[str], list[str]]:
        """What is found without its id: knowledge, and skills."""
        client = client or self.bo
        known, skills = (await client(KNOWN))["commons"], (await client(SKILLS))["skills"]
        return [each["id"] for each in known], [each["id"] for each in skills]


@pytest.fixture
async def commons(
    place: Any, context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Commons:
    here, team = await place(), new_user()
    made = Commons(context, here, here.api.as_user(new_user()), team)
    await made.fill()
    mine = {f"t:{team}", made.ann.user, made.bo.user}

    keep_batches_to(monkeypatch, lambda: sorted(mine))
    return made


@pytest.mark.feature("MUMA-66", "MUMA-115")
async def test_the_commons_fades_after_a_year_and_is_put_away_after_two(commons: Commons) -> None:
    both = ([commons.known], [commons.skill])
    await commons.sweep(YEAR - 1)
    assert await commons.told(commons.bo, commons.known) == []
    await commons.sweep(2)
    for client in (commons.ann, commons.bo):
        for subject in (commons.known, commons.skill):
            assert await commons.told(client, subject) == ["active→fading"]
    assert await commons.found() == both, "what fades is found as before"
    await commons.sweep(YEAR)
    assert await commons.found() == ([], [])
    for subject in (commons.known, commons.skill):
        told = (await commons.bo(EVENTS, s=subject))["events"]
        assert [each["summary"] for each in told] == ["active→fading", "fading→archived"]
        assert {(each["actor"], each["channel"]) for each in told} == {
            ("system:decay", "knowledge_update")
        }
        assert told[0]["data"]["retention"] == pytest.approx(0.5, abs=1e-3)
        assert told[1]["data"]["retention"] == pytest.approx(0.25, abs=1e-3)


@pytest.mark.feature("MUMA-66")
async def test_many_sweeps_of_the_commons_give_what_one_gives(commons: Commons) -> None:
    for _ in range(30):
        await commons.sweep(YEAR / 24)
    told = (await commons.bo(EVENTS, s=commons.known))["events"]
    assert [each["summary"] for each in told] == ["active→fading"]
    await commons.sweep()
    assert await commons.told(commons.bo, commons.known) == ["active→fading"]
    await commons.sweep(YEAR * 18 / 24 + 1)
    assert (await commons.found())[0] == []


@pytest.mark.feature("MUMA-115")
async def test_what_was_put_away_comes_back_when_it_is_verified_or_used(commons: Commons) -> None:
    await commons.sweep(2 * YEAR + 1)
    assert await commons.found() == ([], [])
    assert (await commons.bo(VERIFY, id=commons.known))["verifyKnowledge"]["version"] == 1
    assert (await commons.bo(USED, id=commons.skill))["reportSkill"]["version"] == 1
    assert (await commons.ann(ADD, team=commons.team))["addSkill"]["id"] == commons.skill
    await commons.sweep()
    assert await commons.found() == ([commons.known], [commons.skill])
    told = await commons.told(commons.ann, commons.known)
    assert told == ["active→archived", "archived→active"]


@pytest.mark.feature("MUMA-115")
async def test_what_more_people_stand_by_lasts_longer(commons: Commons) -> None:
    commons.clock.move(YEAR / 2)
    await commons.bo(VERIFY, id=commons.known)  # with Ann, whose note it was
    for person in (commons.ann, commons.bo):
        await person(USED, id=commons.skill)
    await commons.sweep(2 * YEAR - 1)
    assert await commons.told(commons.bo, commons.known) == []
    assert await commons.told(commons.bo, commons.skill) == []
    await commons.sweep(2)
    [told] = (await commons.bo(EVENTS, s=commons.known))["events"]
    assert told["data"]["retention"] == pytest.approx(
        exp(-log(2) * (2 * YEAR + 1) / (2 * YEAR)), abs=1e-6
    )
    await commons.bo(VERIFY, id=commons.known, right=False)
    await commons.sweep()
    assert (await commons.found())[0] == [], "one person alone stands by it"


@pytest.mark.feature("MUMA-115")
async def test_lookups_and_recalls_change_neither_rank_nor_decay(commons: Commons) -> None:
    async def ranked() -> list[Any]:
        return [(await commons.bo(KNOWN))["commons"], (await commons.bo(RECALL))["recall"]["hits"]]

    before = await ranked()
    for _ in range(3):
        commons.clock.move(YEAR / 4)
        await ranked()
    await commons.sweep(YEAR / 4 + 1)
    assert await commons.told(commons.bo, commons.known) == ["active→fading"]
    assert [each["score"] for each in (await ranked())[0]] == [each["score"] for each in before[0]]


@pytest.mark.feature("MUMA-115")
async def test_only_who_reads_it_hears_that_it_fades(
    commons: Commons, new_user: Callable[[], str]
) -> None:
    await commons.bo(AGENT, i={"id": "baker", "domains": ["home/baking"]})
    await commons.sweep(YEAR + 1)
    assert await commons.told(commons.bo.as_agent("baker"), commons.known) == []
    assert await commons.told(commons.ann.as_user(new_user()), commons.known) == []
    assert await commons.told(commons.ann, commons.known) == ["active→fading"]


@pytest.mark.feature("MUMA-115")
async def test_a_version_that_waits_is_decided_though_it_fades_meanwhile(commons: Commons) -> None:
    """And who wrote a skill still renews it alone."""
    commons.clock.move(YEAR - 1)
    waits = (await commons.ann(REVISE, id=commons.known))["reviseKnowledge"]["proposal"]["id"]
    await commons.sweep(2)
    assert await commons.told(commons.bo, commons.known) == ["active→fading"]
    await commons.bo.as_agent("lead")(DECIDE, id=waits)
    assert (await commons.bo(KNOWN))["commons"][0]["version"] == 2
    changed = """mutation S($team: ID) { addSkill(name: "Fire the kiln", procedure: "Heat it.",
      team: $team) { version proposal { id } } }"""
    made = (await commons.ann(changed, team=commons.team))["addSkill"]
    assert made == {"version": 2, "proposal": None}
    await commons.sweep()
    for subject in (commons.known, commons.skill):
        assert await commons.told(commons.ann, subject) == ["active→fading", "fading→active"]


@pytest.mark.feature("MUMA-66")
async def test_notes_of_local_memory_fade_as_others_do(commons: Commons) -> None:
    bot = commons.ann.as_agent("worker")
    session = (await bot("mutation { openSession { id } }"))["openSession"]["id"]
    note = (await bot.remember("The kiln is at 900 degrees.", sessionId=session))["note"]["id"]
    for _ in range(30):
        await commons.sweep(24)
    told = await commons.told(bot, note)
    assert told == ["active→fading"]
