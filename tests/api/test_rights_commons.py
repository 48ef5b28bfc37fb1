"""What two people consented to is changed by nobody alone, whoever tries and in whichever way: each
kind of member, agent and stranger against each mutation that could."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from clients import Client
from rights_table import OF_TEAM, REST

TEAM = "mutation T($id: ID!, $members: [ID!]!) { registerTeam(id: $id, members: $members) { id } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
PROPOSE = "mutation P($id: ID!) { proposeKnowledge(noteId: $id) { id } }"
COMMIT = """mutation D($id: ID!) { decideProposal(id: $id, decision: COMMIT) {
  skill { id } knowledge { id } } }"""
RECALL = "query R($q: String!) { recall(input: {query: $q}) { id } }"
USED = "mutation F($recall: ID!, $used: [ID!]!) { feedback(recallId: $recall, used: $used) }"
SOP = """mutation S($t: ID!, $c: String!) {
  setSop(domain: "work", content: $c, team: $t) { version } }"""
POST = """mutation P($t: ID!, $v: JSON!) {
  postBoard(key: "plan", value: $v, team: $t) { version } }"""
STATE = """query S($t: ID!) { skills { id team procedure trigger tags successCount failureCount }
  commons(topic: "uptime of the enterprise tier") { id content confidence }
  sop(domain: "work") { content } board(team: $t) { key value } }"""
NAME = "Fire the kiln"
LID = "Let the kiln cool below ninety degrees. Lift the lid with two people."
FACT = "Our SLA guarantees 99.9% uptime for the enterprise tier."
RULE, PLAN = "Ask before you deploy.", "Ship on Friday."
OTHER = "Everything is said differently here by somebody else."


@dataclass(frozen=True, kw_only=True)
class Had:
    """A team with a skill and a fact that two people consented to, a procedure that its lead set,
    and a board."""

    ann: Client
    team: str
    skill: str
    fact: str

    async def state(self) -> dict[str, Any]:
        """What a member reads of it in person."""
        data = await self.ann(STATE, t=self.team)
        return {
            "skill": next((s for s in data["skills"] if s["id"] == self.skill), None),
            "fact": next((f for f in data["commons"] if f["id"] == self.fact), None),
            "sop": data["sop"]["content"],
            "board": {each["key"]: each["value"] for each in data["board"]},
        }


@dataclass(frozen=True, kw_only=True)
class Way:
    """A mutation; what of the state it may change when a member of the team sends it."""

    query: str
    given: Callable[[Had], Mapping[str, Any]]
    may_change: frozenset[str] = frozenset()


def _of(name: str) -> Callable[[Had], Mapping[str, Any]]:
    return lambda had: {"id": getattr(had, name)}


def _note_ways(name: str) -> dict[str, Way]:
    """The mutations of notes, upon an entry of the commons."""
    queries = {
        "revise": f'mutation M($id: ID!) {{ revise(id: $id, content: "{OTHER}") {{ id }} }}',
        "forget": "mutation M($id: ID!) { forget(id: $id) { forgotten } }",
        "destroy": "mutation M($id: ID!) { forget(id: $id, permanent: true) { forgotten } }",
        "hide": """mutation M($id: ID!) {
          setVisibility(id: $id, visibility: USER_ONLY) { updatedCount } }""",
        "pin": "mutation M($id: ID!) { pin(id: $id) { id } }",
        "revert": "mutation M($id: ID!) { revertNote(id: $id, version: 1) { id } }",
    }
    return {f"{verb} {name}": Way(query=q, given=_of(name)) for verb, q in queries.items()}


WAYS: Mapping[str, Way] = {
    "add the skill": Way(
        query=f"""mutation M($t: ID!) {{ addSkill(name: "{NAME}", procedure: "{OTHER}",
          trigger: "always", team: $t) {{ id }} }}""",
        given=lambda had: {"t": had.team},
    ),
    "report the skill": Way(
        query="mutation M($id: ID!) { reportSkill(id: $id, success: true) { id } }",
        given=_of("skill"),
        may_change=frozenset(("successCount",)),
    ),
    "revise the fact": Way(
        query=f'mutation M($id: ID!) {{ reviseKnowledge(id: $id, content: "{OTHER}") {{ id }} }}',
        given=_of("fact"),
    ),
    "revise the skill": Way(
        query=f'mutation M($id: ID!) {{ reviseKnowledge(id: $id, content: "{OTHER}") {{ id }} }}',
        given=_of("skill"),
    ),
    "verify the fact": Way(
        query="mutation M($id: ID!) { verifyKnowledge(id: $id) { id } }",
        given=_of("fact"),
        may_change=frozenset(("confidence",)),
    ),
    "set the procedure": Way(
        query=SOP, given=lambda had: {"t": had.team, "c": OTHER}, may_change=frozenset(("sop",))
    ),
    "post": Way(
        query=POST, given=lambda had: {"t": had.team, "v": OTHER}, may_change=frozenset(("board",))
    ),
    "take off": Way(
        query='mutation M($t: ID!) { removeFromBoard(key: "plan", team: $t) }',
        given=lambda had: {"t": had.team},
        may_change=frozenset(("board",)),
    ),
    **_note_ways("skill"),
    **_note_ways("fact"),
    "withdraw the fact": Way(  # a lead or an orchestrator alone: it takes words away, and adds none
        query="mutation M($id: ID!) { withdrawKnowledge(id: $id) }",
        given=_of("fact"),
        may_change=frozenset(("fact",)),
    ),
}
AGENTS = {
    "worker": {"domains": ["work"]},
    "lead": {"role": "ORCHESTRATOR"},
    "helper": {"role": "ASSISTANT", "canSeePrivate": True},
    "shy": {"role": "ORCHESTRATOR", "writes": "PROPOSE"},
}
PEOPLE = ("owner", "consenter", "member", "stranger")
ACTORS = [(person, agent) for person in PEOPLE for agent in (None, *AGENTS)]


@pytest.fixture
async def had(api: Client, new_user: Callable[[], str]) -> tuple[Had, dict[str, Client]]:
    people = {"owner": api} | {name: api.as_user(new_user()) for name in PEOPLE[1:]}
    for person in people.values():
        for name, profile in AGENTS.items():
            await person(AGENT, i={"id": name, **profile})
    team = f"{api.user}-team"
    await api(TEAM, id=team, members=[people[name].user for name in PEOPLE[:3]])
    draft = {"kind": "PROCEDURAL", "domain": "work", "visibility": "SCOPED", "title": NAME}
    proof = (await api.as_agent("worker").remember(LID, **draft))["note"]["id"]
    found = (await api.as_agent("helper")(RECALL, q=LID))["recall"]
    await api.as_agent("helper")(USED, recall=found["id"], used=[proof])
    told = (await api.remember(FACT, visibility="SCOPED", domain="work"))["note"]["id"]
    gate, made = people["consenter"].as_agent("lead"), []
    for note in (proof, told):
        proposal = (await api(PROPOSE, id=note))["proposeKnowledge"]["id"]
        made.append((await gate(COMMIT, id=proposal))["decideProposal"])
    await api(SOP, t=team, c=RULE)
    await api(POST, t=team, v=PLAN)
    skill, fact = made[0]["skill"]["id"], made[1]["knowledge"]["id"]
    return Had(ann=api, team=team, skill=skill, fact=fact), people


@pytest.mark.parametrize(("person", "agent"), ACTORS)
async def test_nobody_alone_changes_what_two_consented_to(
    had: tuple[Had, dict[str, Client]], person: str, agent: str | None
) -> None:
    world, people = had
    client = people[person] if agent is None else people[person].as_agent(agent)
    before = await world.state()
    assert before["skill"]["procedure"]
    assert before["fact"]["content"] == FACT
    for name, way in WAYS.items():
        answer = await client.post(way.query, **way.given(world))
        after = await world.state()
        if person == "stranger":
            codes = {error["extensions"]["code"] for error in answer["errors"]}
            assert codes <= {"NOT_FOUND", "FORBIDDEN"}, (name, answer)
            assert after == before, name
            continue
        for part in ("skill", "fact"):
            if part in way.may_change:  # it may go, but not say anything else
                assert after[part] in (before[part], None), name
            else:
                assert without(after[part], way) == without(before[part], way), (name, answer)
        if agent is not None:
            assert after["sop"] == RULE, name  # which a person set
        before = after


def without(entry: dict[str, Any] | None, way: Way) -> dict[str, Any] | None:
    """An entry but for what a mutation may count."""
    if entry is None:
        return None
    return {key: value for key, value in entry.items() if key not in way.may_change}


def test_each_mutation_of_what_a_team_owns_has_a_row() -> None:
    sent = {way.query.split("{", 1)[1].split("(", 1)[0].strip() for way in WAYS.values()}
    assert {name for name, why in REST.items() if why is OF_TEAM} <= sent
