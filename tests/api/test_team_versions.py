"""Another version of what a team has is a proposal: nothing that people agreed on is changed by one
of them, and trust belongs to the version that earned it."""

from collections.abc import Callable
from typing import Any

import pytest

TEAM = """mutation T($id: ID!, $members: [ID!]!) { registerTeam(id: $id, members: $members) {
  id } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
SKILL = """id version procedure trigger tags trust successCount failureCount
  proposal { id kind status content trigger }"""
ADD = f"""mutation A($name: String!, $procedure: String!, $trigger: String, $team: ID) {{
  addSkill(name: $name, procedure: $procedure, trigger: $trigger, team: $team) {{ {SKILL} }} }}"""
REPORT = f"""mutation R($id: ID!, $success: Boolean!, $version: Int) {{
  reportSkill(id: $id, success: $success, version: $version) {{ {SKILL} }} }}"""
SKILLS = f"{{ skills {{ team {SKILL} }} }}"
DECIDE = """mutation D($id: ID!, $decision: Decision!, $changes: ProposalChanges) {
  decideProposal(id: $id, decision: $decision, changes: $changes) {
  id kind status content skill { id version procedure } knowledge { id content version } } }"""
PROPOSALS = """{ proposals { id kind status content title trigger team
  skill { id } knowledge { id } } }"""
PROPOSE = """mutation P($id: ID!, $content: String) { proposeKnowledge(noteId: $id,
  content: $content) { id status } }"""
REVISE = """mutation R($id: ID!, $content: String!, $version: Int) { reviseKnowledge(id: $id,
  content: $content, expectedVersion: $version) { id content version proposal { id status } } }"""
REVISE_NOTE = "mutation R($id: ID!, $t: String!) { revise(id: $id, content: $t) { version } }"
WITHDRAW = "mutation W($id: ID!) { withdrawKnowledge(id: $id) }"
KNOWN = '{ commons(topic: "SLA uptime enterprise tier") { id content version } }'
LEAVE = "mutation L($id: ID!) { leaveTeam(id: $id) }"
RECALL = "query R($q: String!) { recall(input: {query: $q}) { id hits { note { id } } } }"
FEEDBACK = (
    """mutation F($recall: ID!, $used: [ID!]!) { feedback(recallId: $recall, used: $used) }"""
)
SET_SOP = """mutation S($domain: String!, $content: String!, $team: ID) {
  setSop(domain: $domain, content: $content, team: $team) { content version } }"""
NAME, FIRST, OTHER = "Fire the kiln", "Heat it slowly.", "Heat it at once."
LID = "Let the kiln cool below ninety degrees. Lift the lid with two people."
FACT = "Our SLA guarantees 99.9% uptime for the enterprise tier."


class Team:
    """Ann leads, Bo and Cy are members; each with a worker and an orchestrator."""

    def __init__(self, ann: Any, bo: Any, cy: Any) -> None:
        self.ann, self.bo, self.cy, self.id = ann, bo, cy, f"{ann.user}-team"
        self.all = (ann, bo, cy)


@pytest.fixture
async def team(api: Any, new_user: Callable[[], str]) -> Team:
    made = Team(api, api.as_user(new_user()), api.as_user(new_user()))
    for person in made.all:
        await person(AGENT, i={"id": "worker", "domains": ["work"]})
        await person(AGENT, i={"id": "other", "domains": ["work"]})
        await person(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    await api(TEAM, id=made.id, members=[each.user for each in made.all])
    return made


async def add(client: Any, team: Team, procedure: str = FIRST, **given: Any) -> dict[str, Any]:
    asked = {"name": NAME, "procedure": procedure, "team": team.id, **given}
    return (await client(ADD, **asked))["addSkill"]


async def the_skill(client: Any) -> dict[str, Any]:
    [found] = [each for each in (await client(SKILLS))["skills"] if each["team"]]
    return found


async def decide(client: Any, proposal: str, decision: str = "COMMIT") -> dict[str, Any]:
    return (await client(DECIDE, id=proposal, decision=decision))["decideProposal"]


async def shown(client: Any, proposal: str) -> str:
    found = (await client(PROPOSALS))["proposals"]
    return next(each["content"] for each in found if each["id"] == proposal)


async def promoted_skill(team: Team) -> tuple[str, dict[str, Any]]:
    """A skill that Ann and Bo's orchestrator consented to; its proposal and the skill."""
    draft = {"kind": "PROCEDURAL", "domain": "work", "visibility": "SCOPED", "title": NAME}
    note = (await team.ann.as_agent("worker").remember(LID, **draft))["note"]["id"]
    found = (await team.ann.as_agent("other")(RECALL, q=LID))["recall"]
    await team.ann.as_agent("other")(FEEDBACK, recall=found["id"], used=[note])
    made = (await team.ann(PROPOSE, id=note))["proposeKnowledge"]
    done = await decide(team.bo.as_agent("lead"), made["id"])
    return made["id"], done["skill"]


async def promoted_fact(team: Team) -> tuple[str, dict[str, Any]]:
    """A fact that Ann and Bo's orchestrator consented to; its proposal and the knowledge."""
    note = (await team.ann.remember(FACT, visibility="SCOPED", domain="work"))["note"]["id"]
    made = (await team.ann(PROPOSE, id=note))["proposeKnowledge"]
    done = await decide(team.bo.as_agent("lead"), made["id"])
    return made["id"], done["knowledge"]


@pytest.mark.feature("MUMA-51", "MUMA-104")
async def test_no_members_agent_replaces_a_skill_that_the_team_trusts(team: Team) -> None:
    made = await add(team.ann.as_agent("worker"), team)
    for person in team.all:
        await person.as_agent("worker")(REPORT, id=made["id"], success=True)
    trusted = await the_skill(team.cy)
    answer = await add(team.bo.as_agent("worker"), team, OTHER)
    waits = answer.pop("proposal")
    assert answer == {each: trusted[each] for each in answer}  # as it was
    assert (waits["kind"], waits["status"], waits["content"]) == ("REVISION", "PENDING", OTHER)
    assert await the_skill(team.cy) == trusted
    [told] = (await team.ann(PROPOSALS))["proposals"]
    assert (told["id"], told["content"], told["title"], told["team"], told["skill"]) == (
        waits["id"],
        OTHER,
        NAME,
        team.id,
        {"id": made["id"]},
    )
    done = await decide(team.ann, waits["id"])
    assert (done["status"], done["skill"]) == (
        "COMMITTED",
        {"id": made["id"], "version": 2, "procedure": OTHER},
    )
    now = await the_skill(team.cy)
    assert (now["successCount"], now["failureCount"], now["trust"]) == (0, 0, 0.4)


async def test_its_author_renews_it_alone_and_trust_begins_anew(team: Team) -> None:
    worker = team.bo.as_agent("worker")
    made = await add(worker, team, trigger="when it is cold")
    await team.cy(REPORT, id=made["id"], success=True)
    again = await add(worker, team, OTHER)
    assert (again["version"], again["successCount"], again["proposal"]) == (2, 0, None)
    assert again["trigger"] == "when it is cold"
    await team.cy(REPORT, id=made["id"], success=True)
    same = await add(team.cy, team, OTHER)  # nothing new
    assert (same["version"], same["successCount"], same["proposal"]) == (2, 1, None)
    in_person = await add(team.bo, team, FIRST)  # whose agent wrote it
    assert (in_person["version"], in_person["proposal"]) == (3, None)
    assert (await add(worker, team, OTHER))["proposal"]  # what the user wrote is the user's


@pytest.mark.feature("MUMA-51")
async def test_trust_belongs_to_a_version_in_ones_own_library_too(api: Any) -> None:
    writer, other = api.as_agent("writer"), api.as_agent("other")
    made = (await writer(ADD, name=NAME, procedure=FIRST))["addSkill"]
    for agent in (writer, other):
        await agent(REPORT, id=made["id"], success=True)
    again = (await other(ADD, name=NAME, procedure=OTHER))["addSkill"]
    assert (again["id"], again["version"], again["successCount"]) == (made["id"], 2, 0)
    await writer(REPORT, id=made["id"], success=True)
    await api(REVISE_NOTE, id=made["id"], t=FIRST)  # by whichever way
    [found] = (await api(SKILLS))["skills"]
    assert (found["procedure"], found["successCount"], found["trust"]) == (FIRST, 0, 0.4)
    await api(REPORT, id=made["id"], success=True)
    kept = (await api(ADD, name=NAME, procedure=FIRST))["addSkill"]  # with the same words
    assert (kept["version"], kept["successCount"]) == (found["version"] + 1, 1)


async def test_a_use_counts_for_the_version_that_was_used(team: Team) -> None:
    worker = team.bo.as_agent("worker")
    made = await add(worker, team)
    await add(worker, team, OTHER)
    given = {"id": made["id"], "success": True}
    assert await team.cy.code(REPORT, **given, version=1) == "CONFLICT"
    assert (await team.cy(REPORT, **given, version=2))["reportSkill"]["successCount"] == 1
    own = (await team.cy(ADD, name=NAME, procedure=FIRST))["addSkill"]
    given = {"id": own["id"], "success": True}
    assert await team.cy.code(REPORT, **given, version=2) == "CONFLICT"
    assert (await team.cy(REPORT, **given, version=1))["reportSkill"]["successCount"] == 1


@pytest.mark.feature("MUMA-84")
async def test_what_two_consented_to_is_not_renewed_by_one(team: Team) -> None:
    first, skill = await promoted_skill(team)
    trusted = await the_skill(team.cy)
    for client in (team.bo.as_agent("worker"), team.bo.as_agent("lead"), team.bo, team.cy):
        answer = await add(client, team, OTHER)
        assert answer["procedure"] == LID
        waits = answer["proposal"]
        assert waits["status"] == "AWAITING_OWNER"
        for nobody in (team.bo, team.cy, *(each.as_agent("lead") for each in team.all)):
            assert await nobody.code(DECIDE, id=waits["id"], decision="COMMIT") == "FORBIDDEN"
    assert await the_skill(team.cy) == trusted
    own = (await add(team.ann, team, "Heat it later."))["proposal"]
    assert own["status"] == "AWAITING_ORCHESTRATOR"  # the owner's own proposal is consent
    for nobody in (team.ann, team.ann.as_agent("lead")):  # one person counts once
        assert await nobody.code(DECIDE, id=own["id"], decision="COMMIT") == "FORBIDDEN"
    assert (await decide(team.ann, waits["id"]))["status"] == "AWAITING_ORCHESTRATOR"
    done = await decide(team.bo.as_agent("lead"), waits["id"])
    assert (done["status"], done["content"]) == ("COMMITTED", OTHER)
    assert await team.bo.as_agent("lead").code(DECIDE, id=own["id"], decision="COMMIT") == (
        "CONFLICT"  # it was another version of what is not there any more
    )
    now = await the_skill(team.cy)
    assert (now["id"], now["procedure"], now["successCount"]) == (skill["id"], OTHER, 0)
    # Who consented is shown what they consented to.
    for reader in (team.ann, team.bo.as_agent("lead")):
        assert await shown(reader, first) == LID
        assert await shown(reader, waits["id"]) == OTHER
    assert await shown(team.cy, waits["id"]) == OTHER
    assert await shown(team.cy, first) == ""  # it was taken back by renewing it


@pytest.mark.feature("MUMA-84")
async def test_what_a_team_knows_is_not_revised_by_one(team: Team) -> None:
    first, fact = await promoted_fact(team)
    new = "Our SLA guarantees 99.5% uptime for the enterprise tier."
    given = {"id": fact["id"], "content": new, "version": 1}
    for nobody in (team.bo, team.cy, team.bo.as_agent("worker")):
        assert await nobody.code(REVISE, **given) == "FORBIDDEN"
    told: dict[str, Any] = {}
    for gate in (team.ann, *(each.as_agent("lead") for each in team.all)):
        told = (await gate(REVISE, **given))["reviseKnowledge"]
        assert (told["content"], told["version"]) == (FACT, 1)
        assert told["proposal"]["status"] == (
            "AWAITING_ORCHESTRATOR" if gate is team.ann else "AWAITING_OWNER"
        )
    waits = told["proposal"]["id"]  # of Cy's orchestrator
    assert await shown(team.ann, first) == FACT
    assert await team.ann.as_agent("lead").code(DECIDE, id=waits, decision="COMMIT") == "FORBIDDEN"
    await decide(team.ann, waits)
    assert [each["content"] for each in (await team.cy(KNOWN))["commons"]] == [FACT]
    assert await team.ann.as_agent("lead").code(DECIDE, id=waits, decision="COMMIT") == "FORBIDDEN"
    done = await decide(team.bo.as_agent("lead"), waits)
    assert done["knowledge"] == {"id": fact["id"], "content": new, "version": 2}
    assert await shown(team.ann, first) == FACT
    assert await team.bo.as_agent("lead").code(REVISE, **given) == "CONFLICT"


async def test_a_version_that_two_agreed_on_is_no_more_its_authors_alone(team: Team) -> None:
    made = await add(team.ann, team)
    waits = (await add(team.bo, team, OTHER))["proposal"]
    await decide(team.ann, waits["id"])
    for one in (team.ann, team.bo):
        own = (await add(one, team, "Something else."))["proposal"]
        assert own["status"] == "PENDING"
        for nobody in (one, one.as_agent("lead"), one.as_agent("worker")):
            assert await nobody.code(DECIDE, id=own["id"], decision="COMMIT") in (
                "FORBIDDEN",
                "NOT_FOUND",
            )
    assert (await the_skill(team.cy))["procedure"] == OTHER
    done = await decide(team.ann, own["id"])  # that Bo proposes
    assert done["skill"] == {"id": made["id"], "version": 3, "procedure": "Something else."}


async def test_a_proposed_version_is_taken_back_refused_and_replaced(team: Team) -> None:
    await add(team.ann, team)
    first = (await add(team.bo.as_agent("worker"), team, OTHER))["proposal"]["id"]
    second = (await add(team.bo.as_agent("worker"), team, "Third way."))["proposal"]["id"]
    assert first != second
    found = (await team.ann(PROPOSALS))["proposals"]
    assert [each["id"] for each in found] == [second]  # of one proposer there is one
    worker = team.bo.as_agent("worker")
    [own] = (await worker(PROPOSALS))["proposals"]  # its writer reads it
    assert own["content"] == "Third way."
    assert (await team.cy.as_agent("worker")(PROPOSALS))["proposals"] == []
    assert await worker.code(DECIDE, id=second, decision="COMMIT") == "FORBIDDEN"
    changes = {"content": "My way."}
    assert (
        await team.ann.code(DECIDE, id=second, decision="COMMIT", changes=changes)
        == "BAD_USER_INPUT"
    )
    assert (await decide(team.bo, second, "REJECT"))["status"] == "REJECTED"
    third = (await add(team.cy, team, OTHER))["proposal"]["id"]
    assert await team.bo.code(DECIDE, id=third, decision="REJECT") == "FORBIDDEN"
    await team.cy(LEAVE, id=team.id)
    assert await team.ann.code(DECIDE, id=third, decision="COMMIT") in ("NOT_FOUND", "CONFLICT")
    assert (await the_skill(team.ann))["procedure"] == FIRST
    last = (await add(team.bo, team, OTHER))["proposal"]["id"]
    await team.ann(WITHDRAW, id=(await the_skill(team.ann))["id"])
    assert last not in str(await team.bo(PROPOSALS))


async def test_no_agent_replaces_a_procedure_that_its_lead_set(team: Team) -> None:
    given = {"domain": "work", "team": team.id}
    lead = team.bo.as_agent("lead")
    assert (await lead(SET_SOP, content="One.", **given))["setSop"]["version"] == 1
    assert (await team.ann(SET_SOP, content="Two.", **given))["setSop"]["version"] == 2
    for agent in (lead, team.ann.as_agent("lead"), team.bo):
        assert await agent.code(SET_SOP, content="Three.", **given) == "FORBIDDEN"
    assert (await team.ann(SET_SOP, content="Four.", **given))["setSop"]["version"] == 3
