"""A procedure that worked for others than its writer becomes a skill of the team."""

from collections.abc import Callable
from typing import Any

import pytest

TEAM = """mutation T($id: ID!, $members: [ID!]!) { registerTeam(id: $id, members: $members) {
  id } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
RECALL = "query R($q: String!) { recall(input: {query: $q}) { id hits { note { id } } } }"
FEEDBACK = """mutation F($recall: ID!, $used: [ID!]!, $helpful: Boolean) {
  feedback(recallId: $recall, used: $used, helpful: $helpful) }"""
FIELDS = """id status content title domain noteKind knowledge { id }
  skill { id name procedure trust successCount failureCount team sourceAgents { id } }"""
PROPOSE = f"""mutation P($id: ID!, $domain: String, $content: String) {{
  proposeKnowledge(noteId: $id, domain: $domain, content: $content) {{ {FIELDS} }} }}"""
DECIDE = f"""mutation D($id: ID!, $decision: Decision!) {{
  decideProposal(id: $id, decision: $decision) {{ {FIELDS} }} }}"""
LIST = "{ proposals { id status } }"
ADD = """mutation A($name: String!, $team: ID) { addSkill(name: $name, procedure: "Lift it.",
  team: $team) { id } }"""
REPORT = """mutation R($id: ID!, $success: Boolean!) { reportSkill(id: $id, success: $success) {
  successCount } }"""
SKILLS = "{ skills { id name team procedure } }"
KNOWN = '{ commons(topic: "How do I open the kiln?") { id } }'
WITHDRAW = "mutation W($id: ID!) { withdrawKnowledge(id: $id) }"
FORGET = "mutation F($id: ID!, $p: Boolean) { forget(id: $id, permanent: $p) { forgotten } }"
RESTORE = "mutation R($id: ID!) { restore(id: $id) { id } }"
LID = "Let the kiln cool below ninety degrees. Lift the lid with two people."


class Team:
    """Ann and Bo, each with a coding agent, a sales agent and an orchestrator; Ann leads."""

    def __init__(self, ann: Any, bo: Any) -> None:
        self.ann, self.bo, self.id = ann, bo, f"{ann.user}-team"
        self.coding, self.sales = ann.as_agent("coding"), ann.as_agent("sales")
        self.others_lead, self.others_sales = bo.as_agent("lead"), bo.as_agent("sales")


@pytest.fixture
async def team(api: Any, new_user: Callable[[], str]) -> Team:
    made = Team(api, api.as_user(new_user()))
    for person in (made.ann, made.bo):
        for agent in ("coding", "sales"):
            await person(AGENT, i={"id": agent, "domains": ["work"]})
        await person(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    await api(TEAM, id=made.id, members=[made.ann.user, made.bo.user])
    return made


async def procedure(client: Any, content: str = LID, **given: Any) -> str:
    draft = {"kind": "PROCEDURAL", "domain": "work", "visibility": "SCOPED", **given}
    return (await client.remember(content, **draft))["note"]["id"]


async def used(client: Any, note: str, *, helpful: bool) -> None:
    found = (await client(RECALL, q=LID))["recall"]
    assert note in [hit["note"]["id"] for hit in found["hits"]]
    await client(FEEDBACK, recall=found["id"], used=[note], helpful=helpful)


async def propose(client: Any, note: str, **given: Any) -> dict[str, Any]:
    return (await client(PROPOSE, id=note, **given))["proposeKnowledge"]


async def decide(client: Any, proposal: dict[str, Any], decision: str = "COMMIT") -> Any:
    return (await client(DECIDE, id=proposal["id"], decision=decision))["decideProposal"]


async def of_team(client: Any) -> list[str]:
    found = (await client(SKILLS))["skills"]
    return [each["name"] for each in found if each["team"]]


@pytest.mark.feature("MUMA-50", "MUMA-51")
async def test_a_procedure_that_worked_for_others_becomes_a_skill_of_the_team(team: Team) -> None:
    note = await procedure(team.coding, title="Open the kiln")
    assert await team.ann.code(PROPOSE, id=note) == "FORBIDDEN"
    await used(team.coding, note, helpful=True)  # its writer says so
    assert await team.ann.code(PROPOSE, id=note) == "FORBIDDEN"
    await used(team.sales, note, helpful=True)
    assert await team.ann.code(PROPOSE, id=note, domain="work") == "BAD_USER_INPUT"
    made = await propose(team.coding, note)
    assert (made["status"], made["title"], made["domain"], made["noteKind"]) == (
        "AWAITING_OWNER",
        "Open the kiln",
        "skills",
        "PROCEDURAL",
    )
    assert (await team.others_lead(LIST))["proposals"] == []
    assert (await decide(team.ann, made))["status"] == "AWAITING_ORCHESTRATOR"
    assert await of_team(team.bo) == []  # one consent alone makes no skill
    done = await decide(team.others_lead, made)
    skill = done["skill"]
    assert (done["status"], done["knowledge"]) == ("COMMITTED", None)
    assert skill == {
        **skill,
        "name": "Open the kiln",
        "procedure": LID,
        "trust": pytest.approx(3 / 4 * 0.8),
        "successCount": 2,
        "failureCount": 0,
        "team": team.id,
        "sourceAgents": [],
    }
    for reader in (team.ann, team.bo, team.others_sales):
        assert await of_team(reader) == ["Open the kiln"]
        assert (await reader(KNOWN))["commons"] == []
    told = (await team.others_sales(REPORT, id=skill["id"], success=True))["reportSkill"]
    assert told == {"successCount": 3}
    assert await team.ann.code(PROPOSE, id=note) == "CONFLICT"  # the team has it


async def test_what_fails_more_often_than_not_is_not_for_all(team: Team) -> None:
    note = await procedure(team.coding)
    await used(team.sales, note, helpful=True)
    made = await propose(team.ann, note)
    await used(team.sales, note, helpful=False)
    assert await team.others_lead.code(DECIDE, id=made["id"], decision="COMMIT") == "FORBIDDEN"
    await decide(team.ann, made, "REJECT")
    assert await team.ann.code(PROPOSE, id=note) == "FORBIDDEN"


async def test_a_skill_of_ones_own_is_promoted_once_others_used_it(team: Team) -> None:
    skill = (await team.coding(ADD, name="Open the kiln"))["addSkill"]["id"]
    await team.coding(REPORT, id=skill, success=True)
    assert await team.ann.code(PROPOSE, id=skill) == "FORBIDDEN"
    await team.sales(REPORT, id=skill, success=True)
    done = await decide(team.others_lead, await propose(team.ann, skill))
    assert (done["skill"]["name"], done["skill"]["successCount"]) == ("Open the kiln", 2)
    assert await of_team(team.bo) == ["Open the kiln"]


async def test_its_name_tells_of_nobody_and_is_of_one_skill(team: Team) -> None:
    note = await procedure(team.ann, title=f"How {team.bo.user} opens it")
    await used(team.sales, note, helpful=True)
    made = await propose(team.ann, note)
    assert team.bo.user not in made["title"]
    await decide(team.ann, made, "REJECT")
    other = await procedure(team.ann, "Let the kiln cool. Then lift its lid.", title="Lift the lid")
    await used(team.sales, other, helpful=True)
    waits = await propose(team.ann, other)
    await team.others_sales(ADD, name="Lift the lid", team=team.id)
    assert await team.others_lead.code(DECIDE, id=waits["id"], decision="COMMIT") == "CONFLICT"
    await decide(team.ann, waits, "REJECT")
    assert await team.ann.code(PROPOSE, id=other) == "CONFLICT"


async def test_its_owner_takes_it_back_and_the_next_read_is_empty(
    team: Team, new_user: Callable[[], str]
) -> None:
    note = await procedure(team.ann, title="Open the kiln")
    await used(team.sales, note, helpful=True)

    async def promoted() -> str:
        done = await decide(team.others_lead, await propose(team.ann, note))
        return done["skill"]["id"]

    first = await promoted()
    assert await team.ann.as_user(new_user()).code(WITHDRAW, id=first) == "NOT_FOUND"
    for nobody in (team.bo, team.others_sales, team.coding):
        assert await nobody.code(WITHDRAW, id=first) == "FORBIDDEN"
    assert (await team.ann(WITHDRAW, id=first))["withdrawKnowledge"] is True
    assert await of_team(team.bo) == []
    second = await promoted()
    await team.ann(FORGET, id=note)
    assert await of_team(team.bo) == []
    assert await team.bo.code(REPORT, id=second, success=True) == "NOT_FOUND"
    await team.ann(RESTORE, id=note)
    assert await of_team(team.bo) == ["Open the kiln"]
    await team.ann(FORGET, id=note, p=True)
    assert await of_team(team.bo) == []


async def test_who_decides_for_the_team_takes_any_skill_out(team: Team) -> None:
    made = (await team.others_sales(ADD, name="Open the kiln", team=team.id))["addSkill"]["id"]
    assert await team.bo.code(WITHDRAW, id=made) == "FORBIDDEN"
    assert (await team.others_lead(WITHDRAW, id=made))["withdrawKnowledge"] is True
    assert await of_team(team.ann) == []
