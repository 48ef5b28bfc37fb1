"""Who knows what: what is shared, who is found, who is asked, and what nobody is told of."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from rest import Rest

TEAM = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
SHARE = """mutation S($domain: String!, $team: ID!, $share: Boolean, $until: DateTime) {
  shareDomain(domain: $domain, team: $team, share: $share, expiresAt: $until) {
    id sharedDomains { domain expiresAt team { id } } } }"""
SHARED = "{ viewer { user { teams { members { id sharedDomains { domain team { id } } } } } } }"
AGENT = "mutation A($input: AgentInput!) { registerAgent(input: $input) { id } }"
MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } error { message } } } }"""
WHO = """query W($topic: String!, $first: Int) { whoKnows(topic: $topic, first: $first) {
  user { id } agent { id name domains status noteCount lastActiveAt currentTask
    expertise { topic evidence } } topic confidence lastActiveAt evidence { id } } }"""
ROUTE = """query R($task: String!) { route(task: $task) { agent { id user { id } } confidence
  reasoning relevantNoteCount alternatives { agent { id } user { id } topic confidence } } }"""
CONSULT = """query C($question: String!, $topic: String) {
  consult(question: $question, topic: $topic) { steps answered expert { user { id } agent { id } }
    hits { note { id content domain visibility } } } }"""
EXPERTISE = """{ agents { id expertise { topic confidence evidence successes failures
  updatedAt } } }"""
ASK = """query Q($q: String!) { recall(input: {query: $q}) { id hits { note { id } } } }"""
GIVE = """mutation F($id: ID!, $used: [ID!]!, $ok: Boolean) {
  feedback(recallId: $id, used: $used, helpful: $ok) }"""
ROLLOUT = "A rollout of the kubernetes cluster needs a drained node."
Make = Callable[..., Awaitable[Any]]


async def told(client: Any, topic: str) -> list[tuple[str, str | None]]:
    """Who knows, as (user, agent)."""
    found = (await client(WHO, topic=topic))["whoKnows"]
    return [(each["user"]["id"], (each["agent"] or {}).get("id")) for each in found]


async def note_ids(client: Any) -> list[str]:
    """The ids of notes that REST tells of the agent `coding`."""
    rest = Rest(client.http, client.user, client.agent)
    experts = (await rest("GET", "/v1/experts", topic="kubernetes")).json()["experts"]
    [found] = [each for each in experts if each["agent"]["id"] == "coding"]
    return found["noteIds"]


async def write(client: Any, *contents: str, **given: Any) -> list[str]:
    """The ids of new notes."""
    notes = [{"content": content, **given} for content in contents]
    results = (await client(MANY, notes=notes))["rememberMany"]["results"]
    return [result["note"]["id"] for result in results]


@pytest.fixture
async def team(api: Any, new_user: Any) -> tuple[Any, Any, str]:
    """The clients of two members of a team, and its id."""
    bob, ops = new_user(), new_user()
    await api(TEAM, id=ops, of=[api.user, bob])
    return api, api.as_user(bob), ops


async def test_a_domain_is_shared_in_person_with_a_team_of_ones_own(
    team: Any, new_user: Any
) -> None:
    ann, bob, ops = team
    given = {"domain": "business/coding", "team": ops}
    made = (await ann(SHARE, **given))["shareDomain"]
    assert made == {
        "id": ann.user,
        "sharedDomains": [{"domain": "business/coding", "expiresAt": None, "team": {"id": ops}}],
    }
    assert await ann.as_agent("coding").code(SHARE, **given) == "FORBIDDEN"
    assert await ann.as_user(new_user()).code(SHARE, **given) == "NOT_FOUND"
    assert await ann.code(SHARE, domain="a//b", team=ops) == "BAD_USER_INPUT"
    past = "2001-01-01T00:00:00Z"
    assert await ann.code(SHARE, **given, until=past) == "BAD_USER_INPUT"
    members = (await bob(SHARED))["viewer"]["user"]["teams"][0]["members"]
    assert [each["sharedDomains"] for each in members] == [
        [{"domain": "business/coding", "team": {"id": ops}}],
        [],
    ]
    gone = (await ann(SHARE, **given, share=False))["shareDomain"]
    assert gone["sharedDomains"] == []


@pytest.mark.feature("MUMA-54", "MUMA-59", "MUMA-103")
async def test_others_are_told_of_what_is_shared_and_of_nothing_else(
    team: Any, new_user: Any
) -> None:
    ann, bob, ops = team
    coding = ann.as_agent("coding")
    await write(coding, ROLLOUT, domain="business/coding")
    await write(coding, ROLLOUT + " Secretly.", domain="business/coding", visibility="PRIVATE")
    await write(ann.as_agent("sales"), ROLLOUT, domain="business/sales")
    asker = bob.as_agent("helper")
    for client in (bob, asker):
        assert await told(client, "kubernetes") == []
    await ann(SHARE, domain="business/coding", team=ops)
    for client in (bob, asker):
        assert await told(client, "kubernetes") == [(ann.user, "coding")]
    [expert] = (await bob(WHO, topic="kubernetes"))["whoKnows"]
    assert expert["agent"] | {"expertise": []} == {
        "id": "coding",
        "name": "coding",
        "domains": [],
        "status": "unknown",
        "noteCount": 0,
        "lastActiveAt": None,
        "currentTask": None,
        "expertise": [],
    }
    assert {each["evidence"] for each in expert["agent"]["expertise"]} == {1}
    assert expert["lastActiveAt"] is not None
    assert expert["evidence"] == []  # it is told of; it is not opened
    [own] = (await coding(WHO, topic="kubernetes", first=1))["whoKnows"]
    assert len(own["evidence"]) == 2
    assert await note_ids(bob) == []
    assert await note_ids(coding) == [each["id"] for each in own["evidence"]]
    await ann(AGENT, input={"id": "narrow", "domains": ["business/sales"]})
    assert await note_ids(ann.as_agent("narrow")) == []  # told of by the share alone
    assert await told(ann.as_user(new_user()), "kubernetes") == []
    await ann(SHARE, domain="business/coding", team=ops, share=False)
    assert await told(bob, "kubernetes") == []


async def test_who_leaves_a_team_shares_nothing_more(team: Any) -> None:
    ann, bob, ops = team
    await write(bob.as_agent("coding"), ROLLOUT, domain="business/coding")
    await bob(SHARE, domain="business", team=ops)
    assert await told(ann, "kubernetes") == [(bob.user, "coding")]
    await bob("mutation L($id: ID!) { leaveTeam(id: $id) }", id=ops)
    assert await told(ann, "kubernetes") == []
    await ann(TEAM, id=ops, of=[ann.user, bob.user])
    assert await told(ann, "kubernetes") == []  # consent does not come back with the member


async def test_a_share_ends_at_its_time(place: Make, new_user: Any) -> None:
    here = await place()
    ann, bob, ops = here.api, here.api.as_user(new_user()), new_user()
    await ann(TEAM, id=ops, of=[ann.user, bob.user])
    await write(ann.as_agent("coding"), ROLLOUT, domain="business/coding")
    await ann(SHARE, domain="business", team=ops, until="2026-03-01T14:00:00Z")
    assert await told(bob, "kubernetes") == [(ann.user, "coding")]
    here.clock.move(2)
    assert await told(bob, "kubernetes") == []
    members = (await bob(SHARED))["viewer"]["user"]["teams"][0]["members"]
    assert members[0]["sharedDomains"] == []


@pytest.mark.feature("MUMA-54", "MUMA-56")
async def test_answers_that_helped_make_an_agent_the_first(place: Make) -> None:
    here = await place()
    quick, slow = here.api.as_agent("quick"), here.api.as_agent("slow")
    await write(quick, ROLLOUT, "The kubernetes cluster has nine nodes.")
    tagged = {"tags": ["kubernetes"]}
    [note] = await write(slow, "Kubernetes drains a node before it is shut down.", **tagged)
    before = (await here.api(WHO, topic="kubernetes"))["whoKnows"]
    assert [each["agent"]["id"] for each in before] == ["quick", "slow"]
    assert before[0]["confidence"] > before[1]["confidence"]
    for ok in (True, True, True):
        asked = (await here.api(ASK, q="Kubernetes drains a node"))["recall"]
        here.clock.move(1)
        await here.api(GIVE, id=asked["id"], used=[note], ok=ok)
    after = (await here.api(WHO, topic="kubernetes"))["whoKnows"]
    assert [each["agent"]["id"] for each in after] == ["slow", "quick"]
    known = {each["id"]: each["expertise"] for each in (await here.api(EXPERTISE))["agents"]}
    [topic] = [each for each in known["slow"] if each["topic"].lower() == "kubernetes"]
    assert (topic["evidence"], topic["successes"], topic["failures"]) == (1, 3, 0)
    await here.api(GIVE, id=asked["id"], used=[note], ok=False)
    known = {each["id"]: each["expertise"] for each in (await here.api(EXPERTISE))["agents"]}
    [topic] = [each for each in known["slow"] if each["topic"].lower() == "kubernetes"]
    assert (topic["evidence"], topic["successes"], topic["failures"]) == (1, 2, 1)


@pytest.mark.feature("MUMA-54")
async def test_an_agent_is_told_of_siblings_by_what_it_reads_itself(api: Any) -> None:
    await api(AGENT, input={"id": "sales", "domains": ["business/sales"]})
    await write(api.as_agent("coding"), ROLLOUT, domain="business/coding")
    assert await told(api, "kubernetes") == [(api.user, "coding")]
    assert await told(api.as_agent("sales"), "kubernetes") == []
    known = {each["id"]: each for each in (await api.as_agent("sales")(EXPERTISE))["agents"]}
    assert known["coding"]["expertise"] == []


@pytest.mark.feature("MUMA-98")
async def test_a_task_goes_to_who_shows_that_it_knows(api: Any) -> None:
    await write(api.as_agent("coding"), ROLLOUT, domain="business/coding")
    await write(api.as_agent("sales"), "The customer asked for a discount.", domain="business")
    advice = (await api(ROUTE, task="Plan the rollout of the cluster"))["route"]
    assert advice["agent"] == {"id": "coding", "user": {"id": api.user}}
    assert advice["relevantNoteCount"] == 1
    assert advice["reasoning"].startswith("1 note on this speaks for coding, ")
    nobody = (await api(ROUTE, task="Translate a sonnet"))["route"]
    assert nobody == {
        "agent": None,
        "confidence": 0.0,
        "reasoning": "Nobody is known to know about this.",
        "relevantNoteCount": 0,
        "alternatives": [],
    }


@pytest.mark.feature("MUMA-98")
async def test_what_the_user_wrote_speaks_for_the_agent_of_the_domain(api: Any) -> None:
    await api(AGENT, input={"id": "coding", "domains": ["business/coding"]})
    await api(AGENT, input={"id": "sales", "domains": ["business/sales"]})
    await write(api, ROLLOUT, domain="business/coding")
    advice = (await api(ROUTE, task="Plan the rollout of the cluster"))["route"]
    assert (advice["agent"]["id"], advice["alternatives"]) == ("coding", [])


@pytest.mark.feature("MUMA-55", "MUMA-58", "MUMA-61", "MUMA-113")
async def test_a_question_goes_from_ones_own_memory_to_who_shares(team: Any) -> None:
    ann, bob, ops = team
    await ann(AGENT, input={"id": "sales", "domains": ["business/sales"]})
    coding, sales, helper = ann.as_agent("coding"), ann.as_agent("sales"), bob.as_agent("helper")
    await write(coding, ROLLOUT, domain="business/coding")
    await write(coding, ROLLOUT, domain="business/coding", visibility="PRIVATE")
    await write(ann, ROLLOUT, domain="business/coding", visibility="USER_ONLY")
    await write(coding, ROLLOUT, domain="personal/health")
    asked = {"question": "What does a rollout of the kubernetes cluster need?"}

    own = (await coding(CONSULT, **asked))["consult"]
    assert (own["steps"], own["answered"], own["expert"]) == (["own memory: it knows"], True, None)
    for client in (sales, helper):
        nobody = (await client(CONSULT, **asked))["consult"]
        assert nobody["steps"] == [
            "own memory: nothing that fits",
            "index of experts: nobody",
            "commons: nothing that fits",
            "nobody knows",
        ]
        assert not nobody["answered"]
        assert (nobody["expert"], nobody["hits"]) == (None, [])

    await ann(SHARE, domain="business/coding", team=ops)
    for client, name in ((sales, "coding"), (helper, f"coding of {ann.user}")):
        found = (await client(CONSULT, **asked, topic="kubernetes-cluster"))["consult"]
        assert found["steps"] == [
            "own memory: nothing that fits",
            f"index of experts: {name}",
            f"memory of {name}: it knows",
        ]
        assert found["expert"] == {"user": {"id": ann.user}, "agent": {"id": "coding"}}
        places = [(h["note"]["domain"], h["note"]["visibility"]) for h in found["hits"]]
        assert places == [("business/coding", "SCOPED")]
    assert (await helper("{ stats { totalNotes } }"))["stats"][
        "totalNotes"
    ] == 0  # nothing was written
    [hit] = found["hits"]
    one = "query N($id: ID!) { note(id: $id) { id } }"
    assert await helper.code(one, id=hit["note"]["id"]) == "NOT_FOUND"  # it opens nothing else


@pytest.mark.feature("MUMA-55", "MUMA-113")
async def test_the_commons_are_asked_last(team: Any) -> None:
    ann, bob, ops = team
    await bob(AGENT, input={"id": "lead", "role": "ORCHESTRATOR"})
    [note] = await write(ann, ROLLOUT, domain="business/coding")
    propose = (
        "mutation P($id: ID!, $team: ID) { proposeKnowledge(noteId: $id, team: $team) { id } }"
    )
    made = (await ann(propose, id=note, team=ops))["proposeKnowledge"]
    decide = "mutation D($id: ID!) { decideProposal(id: $id, decision: COMMIT) { status } }"
    done = (await bob.as_agent("lead")(decide, id=made["id"]))["decideProposal"]
    assert done == {"status": "COMMITTED"}
    asked = {"question": "What does a rollout of the kubernetes cluster need?"}
    found = (await bob.as_agent("helper")(CONSULT, **asked))["consult"]
    assert found["steps"] == [
        "own memory: nothing that fits",
        "index of experts: nobody",
        "commons: the team knows",
    ]
    assert (found["answered"], found["expert"]) == (True, None)
    assert [hit["note"]["content"] for hit in found["hits"]] == [ROLLOUT]
