"""What a note says becomes what a team knows: with both consents, and telling of nobody."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rest import Rest

from graphmem.domain.ids import uuid7
from graphmem.domain.promotion import Promotion
from graphmem.mcp.offers import OFFERS
from graphmem.services.promotion.sweeping import propose_to
from graphmem.services.tracking import Recalled
from graphmem.store import promotion
from graphmem.store.promotion import candidates

TEAM = """mutation T($id: ID!, $members: [ID!]!) { registerTeam(id: $id, members: $members) {
  id } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
FIELDS = """id kind status content domain reason team from { id } note { id }
  knowledge { id content }"""
PROPOSE = f"""mutation P($id: ID!, $domain: String, $content: String, $team: ID) {{
  proposeKnowledge(noteId: $id, domain: $domain,
  content: $content, team: $team) {{ {FIELDS} }} }}"""
DECIDE = f"""mutation D($id: ID!, $decision: Decision!, $reason: String,
  $changes: ProposalChanges) {{ decideProposal(id: $id, decision: $decision, reason: $reason,
  changes: $changes) {{ {FIELDS} }} }}"""
LIST = f"{{ proposals {{ {FIELDS} }} }}"
KNOWN = """query K($topic: String!, $domain: String) { commons(topic: $topic, domain: $domain) {
  id team content domain confidence verifiedBy { id } promotedFrom { id } source version
  score } }"""
VERIFY = """mutation V($id: ID!, $right: Boolean) { verifyKnowledge(id: $id, right: $right) {
  verifiedBy { id } } }"""
REVISE = """mutation R($id: ID!, $content: String!, $version: Int) { reviseKnowledge(id: $id,
  content: $content, expectedVersion: $version) { content version verifiedBy { id }
  proposal { id } } }"""
WITHDRAW = "mutation W($id: ID!) { withdrawKnowledge(id: $id) }"
TOLD = """query R($i: RecallInput!) { recall(input: $i) { hits { note { context keywords } } } }"""
OPT_OUT = """mutation O($domain: String!, $out: Boolean) { setPromotionOptOut(domain: $domain,
  optOut: $out) { promotionOptOuts } }"""
SEE = """mutation S($id: ID!, $v: Visibility!) { setVisibility(id: $id, visibility: $v) {
  updatedCount } }"""
FORGET = "mutation F($id: ID!, $p: Boolean) { forget(id: $id, permanent: $p) { forgotten } }"
EVENTS = """query E($types: [String!], $s: ID) { events(types: $types, subjectId: $s, first: 500) {
  type actor summary channel data } }"""
TEXT = "Our SLA guarantees 99.9% uptime for the enterprise tier."
DOMAIN = "business/sales/sla"


class Team:
    """Ann and Bo, each with a sales agent, a coding agent and an orchestrator; Ann leads."""

    def __init__(self, ann: Any, bo: Any, id: str) -> None:
        self.ann, self.bo, self.id = ann, bo, id
        self.lead, self.others_lead = ann.as_agent("lead"), bo.as_agent("lead")


@pytest.fixture
async def team(api: Any, new_user: Callable[[], str]) -> Team:
    made = Team(api, api.as_user(new_user()), f"{api.user}-team")
    for person in (made.ann, made.bo):
        await person(AGENT, i={"id": "sales", "domains": ["business/sales"]})
        await person(AGENT, i={"id": "coding", "domains": ["business/coding"]})
        await person(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    await api(TEAM, id=made.id, members=[made.ann.user, made.bo.user])
    return made


async def note_of(client: Any, content: str = TEXT, **given: Any) -> str:
    draft = {"domain": DOMAIN, "visibility": "SCOPED", **given}
    return (await client.remember(content, **draft))["note"]["id"]


async def propose(client: Any, note: str, **given: Any) -> dict[str, Any]:
    return (await client(PROPOSE, id=note, **given))["proposeKnowledge"]


async def decide(client: Any, proposal: dict[str, Any], decision: str, **given: Any) -> Any:
    return (await client(DECIDE, id=proposal["id"], decision=decision, **given))["decideProposal"]


async def known(client: Any, **given: Any) -> list[dict[str, Any]]:
    return (await client(KNOWN, **{"topic": "SLA uptime enterprise", **given}))["commons"]


async def promoted(team: Team, note: str | None = None) -> dict[str, Any]:
    made = await propose(team.ann, note or await note_of(team.ann))
    done = await decide(team.others_lead, made, "COMMIT")
    assert done["status"] == "COMMITTED"
    return done["knowledge"]


@pytest.mark.feature("MUMA-64", "MUMA-84", "MUMA-106")
async def test_knowledge_comes_of_both_consents(team: Team) -> None:
    note = await note_of(team.ann)
    made = await propose(team.ann.as_agent("sales"), note)
    assert made == {
        **made,
        "kind": "PROMOTION",
        "status": "AWAITING_OWNER",
        "content": TEXT,
        "domain": DOMAIN,
        "team": team.id,
        "from": {"id": "sales"},
        "note": {"id": note},
        "knowledge": None,
    }
    for nobody in (team.bo, team.others_lead):  # before the owner's consent nobody sees the text
        assert (await nobody(LIST))["proposals"] == []
        assert await nobody.code(DECIDE, id=made["id"], decision="COMMIT") == "NOT_FOUND"
    assert await team.lead.code(DECIDE, id=made["id"], decision="COMMIT") == "FORBIDDEN"
    assert (await decide(team.ann, made, "COMMIT"))["status"] == "AWAITING_ORCHESTRATOR"
    assert await known(team.ann) == []  # one consent alone makes no knowledge
    [waits] = (await team.others_lead(LIST))["proposals"]
    assert (waits["id"], waits["note"], waits["from"]) == (made["id"], None, None)
    for same in (team.ann, team.lead):  # two consents by one person, also by an agent, are one
        assert await same.code(DECIDE, id=made["id"], decision="COMMIT") == "FORBIDDEN"
    assert (
        await team.ann.as_agent("sales").code(DECIDE, id=made["id"], decision="COMMIT")
        == "NOT_FOUND"
    )
    done = await decide(team.others_lead, made, "COMMIT")
    [found] = await known(team.bo)
    assert done["knowledge"] == {"id": found["id"], "content": TEXT}
    for again in ("COMMIT", "REJECT"):
        assert await team.lead.code(DECIDE, id=made["id"], decision=again) == "CONFLICT"


@pytest.mark.feature("MUMA-48", "MUMA-85")
async def test_agents_read_knowledge_by_their_domains_and_its_note_only_who_may(
    team: Team, new_user: Callable[[], str]
) -> None:
    note = await note_of(team.ann)
    await promoted(team, note)
    [found] = await known(team.ann)
    assert found == {
        **found,
        "team": team.id,
        "content": TEXT,
        "domain": DOMAIN,
        "verifiedBy": [{"id": team.ann.user}],
        "promotedFrom": {"id": note},
        "source": f"user:{team.ann.user}",
        "version": 1,
    }
    for reader in (team.bo, team.bo.as_agent("sales")):
        assert await known(reader) == [{**found, "promotedFrom": None}]
    assert await known(team.bo.as_agent("coding")) == []
    assert len(await known(team.bo, domain="business")) == 1
    assert await known(team.bo, domain="business/coding") == []
    assert await known(team.bo, topic="How do I bake bread?") == []
    assert await known(team.ann.as_user(new_user())) == []
    verified = (await team.bo(VERIFY, id=found["id"]))["verifyKnowledge"]["verifiedBy"]
    assert verified == [{"id": team.ann.user}, {"id": team.bo.user}]
    assert await team.bo.as_agent("sales").code(VERIFY, id=found["id"]) == "FORBIDDEN"
    assert await team.ann.as_user(new_user()).code(VERIFY, id=found["id"]) == "NOT_FOUND"
    again = (await team.bo(VERIFY, id=found["id"], right=False))["verifyKnowledge"]["verifiedBy"]
    assert again == [{"id": team.ann.user}]


@pytest.mark.feature("MUMA-102")
async def test_a_role_narrows_what_the_team_knows_and_never_opens_more(team: Team) -> None:
    """By the query, and by the tool's names over MCP, which take the same command."""
    asked = "query C($topic: String!, $role: String) { commons(topic: $topic, role: $role) { id } }"
    made = (await promoted(team))["id"]

    async def found(client: Any, role: str | None) -> list[str]:
        return [each["id"] for each in (await client(asked, topic=TEXT, role=role))["commons"]]

    for role, ids in ((None, [made]), ("sales", [made]), ("worker", [made]), ("coding", [])):
        assert await found(team.ann, role) == ids, role
    assert await found(team.ann, "nobody") == []
    coding = team.ann.as_agent("coding")
    for role in (None, "sales", "orchestrator", "coding"):
        assert await found(coding, role) == [], role
    (tool,) = [each for each in OFFERS["commons"] if each.name == "commons.query"]
    assert tool.body({"topic": "x", "user_role": "sales", "k": 2}) == {
        "topic": "x",
        "role": "sales",
        "k": 2,
    }


@pytest.mark.feature("MUMA-1", "MUMA-115")
async def test_a_recall_of_the_team_finds_knowledge_which_no_use_strengthens(team: Team) -> None:
    made = await promoted(team)
    own = await note_of(team.bo, "The SLA has an uptime of 99.9% for the enterprise tier, Bo says.")
    asked = "query Q($i: RecallInput!) { recall(input: $i) { hits { score note { id content } } } }"
    question = {"query": "SLA uptime enterprise tier"}
    for _ in range(3):
        hits = (await team.bo(asked, i={**question, "scope": "TEAM"}))["recall"]["hits"]
        assert {hit["note"]["id"] for hit in hits} == {made["id"], own}
    [alone] = (await team.bo(asked, i=question))["recall"]["hits"]
    assert alone["note"]["id"] == own
    before, after = await known(team.bo), await known(team.ann)
    assert [each["score"] for each in before] == [each["score"] for each in after]


@pytest.mark.feature("MUMA-1")
async def test_a_context_of_the_team_tells_what_it_knows(team: Team) -> None:
    asked = """query C($scope: Scope!) { context(input: {task: "SLA uptime enterprise",
      scope: $scope}) { text hits { note { id } via { relationship label } } } }"""
    made = (await promoted(team))["id"]
    for client in (team.bo, team.bo.as_agent("sales")):
        assert (await client(asked, scope="USER"))["context"]["hits"] == []
        found = (await client(asked, scope="TEAM"))["context"]
        assert [hit["note"]["id"] for hit in found["hits"]] == [made]
        assert found["hits"][0]["via"] == [{"relationship": "COMMONS", "label": team.id}]
        assert f"team {team.id}" in found["text"]


@pytest.mark.feature("MUMA-63")
async def test_no_agent_writes_what_a_team_knows(team: Team) -> None:
    note = await note_of(team.ann, domain="business/coding")
    made = await propose(team.ann.as_agent("coding"), note)
    assert made["status"] == "AWAITING_OWNER"
    await decide(team.ann, made, "COMMIT")
    await team.ann(AGENT, i={"id": "other", "domains": ["*"]})
    for agent in ("coding", "other"):
        client = team.ann.as_agent(agent)
        assert await client.code(DECIDE, id=made["id"], decision="COMMIT") == "NOT_FOUND"
    assert await known(team.ann) == []
    done = await promoted(team)
    for nobody in (team.bo, team.bo.as_agent("sales")):
        assert await nobody.code(REVISE, id=done["id"], content="x") == "FORBIDDEN"
        assert await nobody.code(WITHDRAW, id=done["id"]) == "FORBIDDEN"


@pytest.mark.feature("MUMA-65")
async def test_only_what_is_open_enough_is_promoted(team: Team) -> None:
    for closed in ("PRIVATE", "USER_ONLY"):
        note = await note_of(team.ann, f"{closed}: {TEXT}", visibility=closed)
        assert await team.ann.code(PROPOSE, id=note) == "BAD_USER_INPUT"
    assert await team.bo.code(PROPOSE, id=note) == "NOT_FOUND"
    await team.ann(SEE, id=note, v="OPEN")
    made = await propose(team.ann, note, content=TEXT)
    await team.ann(SEE, id=note, v="PRIVATE")  # it is looked at again with each consent
    assert await team.lead.code(DECIDE, id=made["id"], decision="COMMIT") == "NOT_FOUND"
    assert await known(team.ann) == []


@pytest.mark.feature("MUMA-83")
async def test_a_text_tells_of_nobody(team: Team) -> None:
    text = "Alice's client pays within 30 days. Mail alice@example.org or call +49 170 1234567."
    note = await note_of(team.ann, text)
    made = await propose(team.ann, note)
    assert (
        made["content"] == "[person]'s client pays within 30 days. Mail [address] or call [number]."
    )
    kept = await team.ann("query N($id: ID!) { note(id: $id) { content } }", id=note)
    assert kept["note"]["content"] == text
    for doubt in ("I pay within 30 days.", "Kestrel pays within 30 days."):
        note = await note_of(team.ann, doubt)
        assert await team.ann.code(PROPOSE, id=note) == "BAD_USER_INPUT"
        given = {"id": note, "content": "Kestrel pays on Fridays."}
        assert await team.ann.as_agent("sales").code(PROPOSE, **given) == "BAD_USER_INPUT"
        named = {"id": note, "content": f"{team.bo.user} pays."}
        assert await team.ann.code(PROPOSE, **named) == "BAD_USER_INPUT"
    assert (await propose(team.ann, note, content="Kestrel pays on Fridays."))["content"]


@pytest.mark.feature("MUMA-86")
async def test_domains_are_kept_out_of_promotion(team: Team) -> None:
    made = await propose(team.ann, await note_of(team.ann))
    done = (await team.ann(OPT_OUT, domain="business"))["setPromotionOptOut"]
    assert done == {"promotionOptOuts": ["business"]}
    note = await note_of(team.ann, "Invoices are sent by mail.")
    for client in (team.ann, team.ann.as_agent("sales")):
        assert await client.code(PROPOSE, id=note) == "FORBIDDEN"
    assert await team.lead.code(DECIDE, id=made["id"], decision="COMMIT") == "CONFLICT"
    assert await team.ann.as_agent("sales").code(OPT_OUT, domain="x") == "FORBIDDEN"
    told = "{ viewer { user { promotionOptOuts } } }"
    assert (await team.lead(told))["viewer"]["user"]["promotionOptOuts"] == []
    done = (await team.ann(OPT_OUT, domain="business", out=False))["setPromotionOptOut"]
    assert done == {"promotionOptOuts": []}
    assert (await propose(team.ann, note))["status"] == "AWAITING_ORCHESTRATOR"


async def test_the_owner_takes_it_back_and_the_next_read_is_empty(team: Team) -> None:
    note = await note_of(team.ann)
    first = await promoted(team, note)
    assert (await team.ann(WITHDRAW, id=first["id"]))["withdrawKnowledge"] is True
    for reader in (team.ann, team.bo):
        assert await known(reader) == []
        assert await reader.recall("SLA uptime", scope="TEAM", filter={"domain": "x"}) == []
    assert await team.bo.code(WITHDRAW, id=first["id"]) == "NOT_FOUND"
    assert (await team.ann("query N($id: ID!) { note(id: $id) { content } }", id=note))["note"]
    second = await promoted(team, note)  # it may be promoted again
    assert (await team.others_lead(WITHDRAW, id=second["id"]))["withdrawKnowledge"] is True
    await promoted(team, note)
    await team.ann(FORGET, id=note)  # what its owner has put away is not told
    assert await known(team.bo) == []
    await team.ann("mutation R($id: ID!) { restore(id: $id) { id } }", id=note)
    assert len(await known(team.bo)) == 1
    await team.ann(FORGET, id=note, p=True)
    assert await known(team.bo) == []


async def test_knowledge_has_versions(team: Team) -> None:
    done = await promoted(team)
    new = "The SLA guarantees 99.95% uptime for the enterprise tier."
    told = (await team.others_lead(REVISE, id=done["id"], content=new, version=1))[
        "reviseKnowledge"
    ]
    waits = told.pop("proposal")
    assert told == {"content": TEXT, "version": 1, "verifiedBy": [{"id": team.ann.user}]}
    await team.bo(VERIFY, id=done["id"])
    await decide(team.ann, waits, "COMMIT")
    assert await team.others_lead.code(DECIDE, id=waits["id"], decision="COMMIT") == "FORBIDDEN"
    await team.bo(AGENT, i={"id": "main", "role": "ORCHESTRATOR"})
    await decide(team.bo.as_agent("main"), waits, "COMMIT")
    assert await team.lead.code(REVISE, id=done["id"], content=TEXT, version=1) == "CONFLICT"
    [found] = await known(team.bo)
    assert (found["content"], found["version"]) == (new, 2)
    assert found["verifiedBy"] == [{"id": team.ann.user}]  # who verified it has to do so anew
    hits = (await team.bo(TOLD, i={"query": "SLA uptime", "scope": "TEAM"}))["recall"]["hits"]
    assert [hit["note"]["context"] for hit in hits] == [new]  # nothing of the text before
    assert all(word in new.lower() for hit in hits for word in hit["note"]["keywords"])
    for text in (f"Ask {team.ann.user} of the SLA.", "Our SLA: call +49 170 1234567."):
        for client in (team.ann, team.lead):  # no text for a team tells of somebody
            assert await client.code(REVISE, id=done["id"], content=text) == "BAD_USER_INPUT"


async def test_both_consents_at_once_make_one_knowledge(team: Team) -> None:
    made = await propose(team.ann, await note_of(team.ann))
    answers = await asyncio.gather(
        *(c.post(DECIDE, id=made["id"], decision="COMMIT") for c in (team.others_lead,) * 8)
    )
    assert sum(not each.get("errors") for each in answers) == 1
    assert len(await known(team.bo)) == 1
    note = await note_of(team.ann, "Invoices are sent by mail.")
    proposals = await asyncio.gather(*(team.ann.post(PROPOSE, id=note) for _ in range(4)))
    assert sum(not each.get("errors") for each in proposals) == 1


async def test_what_fails_in_between_leaves_neither_half(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await propose(team.ann, await note_of(team.ann))
    tie = promotion.tie_step
    monkeypatch.setattr(promotion, "tie_step", lambda _, *rest: tie("nothing", *rest))
    assert await team.others_lead.code(DECIDE, id=made["id"], decision="COMMIT") == "CONFLICT"
    [waits] = (await team.lead(LIST))["proposals"]
    assert (waits["status"], waits["content"]) == ("AWAITING_ORCHESTRATOR", TEXT)
    assert await known(team.bo) == []
    assert [e for e in (await team.bo(EVENTS, types=["PROMOTE"]))["events"]] == []
    monkeypatch.undo()
    assert (await decide(team.others_lead, made, "COMMIT"))["status"] == "COMMITTED"


async def test_refusing_ends_it_and_members_hear_of_it(team: Team) -> None:
    made = await propose(team.ann, await note_of(team.ann))
    done = await decide(team.others_lead, made, "REJECT", reason="known to all")
    assert (done["status"], done["reason"]) == ("REJECTED", "known to all")
    events = (await team.bo(EVENTS, types=["PROPOSE", "REJECT"]))["events"]
    assert [(e["type"], e["channel"]) for e in events] == [
        ("PROPOSE", "knowledge_update"),
        ("REJECT", "knowledge_update"),
    ]
    again = await propose(team.ann, made["note"]["id"])  # it may be proposed anew
    assert (await decide(team.ann, again, "REJECT"))["status"] == "REJECTED"
    assert (await team.bo.as_agent("coding")(EVENTS))["events"] == []
    await team.ann(TEAM, id=team.id, members=[team.ann.user])
    assert (await team.bo(LIST))["proposals"] == []


SHARED = """MATCH (u:User {id: $user}), (t:Team {id: $team})
CREATE (u)-[:SHARES {domain: 'business'}]->(t)"""


@pytest.mark.feature("MUMA-82")
@pytest.mark.parametrize("lacks", [None, "shared", "agents", "open", "present", "kept in"])
async def test_what_proves_itself_is_proposed_to_its_owner(
    context: Any, team: Team, lacks: str | None
) -> None:
    visibility = "PRIVATE" if lacks == "open" else "SCOPED"
    note = await note_of(team.ann, visibility=visibility)
    await note_of(team.bo)
    now = context.clock()
    for agent in ("sales",) if lacks == "agents" else ("sales", "lead"):
        recalled = Recalled(
            id=uuid7(now),
            user=team.ann.user,
            agent=agent,
            query="SLA",
            at=now,
            strategy="HYBRID",
            profile="BALANCED",
            domain="general",
            hits=((note, 1.0),),
        )
        context.log.track(recalled)
        await context.log.write_recall(recalled.id)
    if lacks != "shared":
        driver = context.graph._driver
        await driver.execute_query(SHARED, {"user": team.bo.user, "team": team.id})
    if lacks == "kept in":
        await team.ann(OPT_OUT, domain="business")
    if lacks == "present":
        context = replace(context, promotion=Promotion(high_activation=100.0))
    found = await candidates(context.graph, just_before(team.ann.user), now=now, limit=1)
    counts = await propose_to(context, team.ann.user, found)
    assert counts == {"proposed": 0 if lacks else 1, "doubtful": 0}
    proposals = (await team.ann(LIST))["proposals"]
    assert [(p["status"], p["from"]) for p in proposals] == (
        [] if lacks else [("AWAITING_OWNER", None)]
    )
    if not lacks:
        assert (await decide(team.ann, proposals[0], "COMMIT"))["status"] == "AWAITING_ORCHESTRATOR"
        again = await candidates(context.graph, just_before(team.ann.user), now=now, limit=1)
        assert again[0].notes == ()


def just_before(user: str) -> str:
    """An id that comes before the user's, and after all shorter ones."""
    return f"{user[:-1]}{chr(ord(user[-1]) - 1)}~"


async def told(client: Any) -> list[str]:
    return [each["content"] for each in (await client(LIST))["proposals"]]


async def forgets(team: Team, note: str, made: dict[str, Any]) -> None:
    await team.ann(FORGET, id=note)


async def narrows(team: Team, note: str, made: dict[str, Any]) -> None:
    await team.ann(SEE, id=note, v="PRIVATE")


async def keeps_out(team: Team, note: str, made: dict[str, Any]) -> None:
    await team.ann(OPT_OUT, domain="business")


async def rejects(team: Team, note: str, made: dict[str, Any]) -> None:
    await decide(team.ann, made, "REJECT")


@pytest.mark.parametrize("takes_back", [forgets, narrows, keeps_out, rejects])
async def test_no_member_reads_a_proposal_of_which_the_owner_took_the_consent_back(
    team: Team, takes_back: Any
) -> None:
    note = await note_of(team.ann)
    made = await propose(team.ann, note)
    readers = (team.bo, team.others_lead)
    assert [await told(each) for each in readers] == [[TEXT]] * 2
    await takes_back(team, note, made)
    assert [await told(each) for each in readers] == [[]] * 2
    assert await team.others_lead.code(DECIDE, id=made["id"], decision="COMMIT") == "NOT_FOUND"
    assert await told(team.ann) == [TEXT]


async def test_who_has_left_a_team_proposes_nothing_to_it_any_more(team: Team) -> None:
    made = await propose(team.bo, await note_of(team.bo))
    assert await told(team.ann) == [TEXT]
    await team.bo("mutation L($id: ID!) { leaveTeam(id: $id) }", id=team.id)
    assert await told(team.ann) == []
    await team.ann(TEAM, id=team.id, members=[team.ann.user, team.bo.user])
    assert await told(team.ann) == []  # nobody brings the consent back for them
    assert await team.lead.code(DECIDE, id=made["id"], decision="COMMIT") == "NOT_FOUND"


async def test_a_forgotten_note_is_not_told_by_the_proposal_that_it_was(team: Team) -> None:
    note = await note_of(team.ann)
    await promoted(team, note)
    assert await told(team.bo) == [TEXT]
    await team.ann(FORGET, id=note)
    assert await told(team.bo) == []


async def test_what_is_put_away_takes_no_place_among_what_a_team_knows(team: Team) -> None:
    asked = "The SLA guarantees uptime for the enterprise tier."
    await promoted(team, await note_of(team.ann, "The SLA guarantees some uptime."))
    near = [f"{asked[:-1]}, phase {word}." for word in ("one", "two", "three", "four", "five")]
    notes = [await note_of(team.ann, each) for each in near]
    for each in notes:
        await promoted(team, each)
    for each in notes:
        await team.ann(FORGET, id=each)
    query = KNOWN.replace("domain: $domain)", "domain: $domain, k: 1)")
    [found] = (await team.bo(query, topic=asked))["commons"]
    assert found["content"] == "The SLA guarantees some uptime."


async def test_people_whom_a_note_says_that_it_names_are_taken_out(team: Team) -> None:
    people = [{"name": "bart potter", "type": "Person"}]
    note = await note_of(team.ann, "The kiln is fixed by bart on Fridays.", entities=people)
    made = await propose(team.ann.as_agent("sales"), note)
    assert made["content"] == "The kiln is fixed by [person] on Fridays."
    given = {"id": note, "content": "The kiln is fixed by ba\u200brt."}
    assert await team.bo.code(PROPOSE, **given) == "NOT_FOUND"
    other = await note_of(team.ann, "The kiln is cold on Fridays.", entities=people)
    named = {"id": other, "content": "The kiln is fixed by ba\u200brt."}
    assert await team.ann.code(PROPOSE, **named) == "BAD_USER_INPUT"


async def test_no_protocol_tells_the_id_of_a_note_that_is_not_read(team: Team) -> None:
    note = await note_of(team.ann)
    await promoted(team, note)
    for person, told_of in ((team.ann, note), (team.bo, None)):
        rest = Rest(person.http, person.user)
        [found] = (await rest("GET", "/v1/knowledge", topic="SLA uptime")).json()["knowledge"]
        [made] = (await rest("GET", "/v1/proposals")).json()["proposals"]
        assert found["noteId"] == made["noteId"] == told_of
        verified = await rest("POST", f"/v1/knowledge/{found['id']}/verify", {})
        assert verified.json()["noteId"] == told_of


@pytest.mark.parametrize("hidden", ["nothing", "waits", "known"])
async def test_an_agent_learns_by_proposing_nothing_that_it_does_not_read(
    team: Team, hidden: str
) -> None:
    """What the team knows, or is asked to know, in domains that the agent does not work in."""
    note, sales = await note_of(team.ann), team.ann.as_agent("sales")
    if hidden != "nothing":
        made = await propose(team.ann, note, domain="payroll")
        if hidden == "known":
            await decide(team.others_lead, made, "COMMIT")
    told = await propose(sales, note)
    assert told == {
        **told,
        "kind": "PROMOTION",
        "status": "AWAITING_OWNER",
        "content": TEXT,
        "domain": DOMAIN,
        "note": {"id": note},
        "knowledge": None,
    }
    assert [each["id"] for each in (await sales(LIST))["proposals"]] == [told["id"]]
    assert await sales.code(PROPOSE, id=note) == "CONFLICT"  # its own, which it reads
    if hidden == "nothing":
        await decide(team.ann, told, "COMMIT")
    else:  # the owner reads what stands against it
        assert await team.ann.code(DECIDE, id=told["id"], decision="COMMIT") == "CONFLICT"
        assert await team.ann.code(PROPOSE, id=note) == "CONFLICT"


async def test_no_member_reads_the_words_of_an_earlier_version(team: Team) -> None:
    asked = """query R($i: RecallInput!) { recall(input: $i) { hits { note {
      content revisions { version content } wordings { content } } } } }"""
    done = await promoted(team)
    new = "The SLA guarantees 99.95% uptime for the enterprise tier."
    told = (await team.lead(REVISE, id=done["id"], content=new))["reviseKnowledge"]
    await decide(team.ann, told["proposal"], "COMMIT")
    await decide(team.others_lead, told["proposal"], "COMMIT")
    for reader in (team.bo, team.ann, team.others_lead, team.bo.as_agent("sales")):
        given = {"query": "SLA uptime", "scope": "TEAM"}
        hits = (await reader(asked, i=given))["recall"]["hits"]
        [found] = [hit["note"] for hit in hits if hit["note"]["content"] == new]
        assert found["revisions"] == [{"version": 2, "content": new}]
        assert found["wordings"] == []
    shown = {each["content"] for each in (await team.bo(LIST))["proposals"]}
    assert shown == {"", new}
