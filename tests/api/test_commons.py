"""The commons of one user without a team: skills and standard procedures."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

FIELDS = """id name procedure trigger tags successCount failureCount trust version lastUsedAt
  sourceAgents { id }"""
ADD = f"""mutation A($name: String!, $procedure: String!, $trigger: String, $tags: [String!]) {{
  addSkill(name: $name, procedure: $procedure, trigger: $trigger, tags: $tags) {{ {FIELDS} }} }}"""
REPORT = f"""mutation R($id: ID!, $success: Boolean!) {{
  reportSkill(id: $id, success: $success) {{ {FIELDS} }} }}"""
SKILLS = f"""query S($search: String, $tags: [String!], $first: Int) {{
  skills(search: $search, tags: $tags, first: $first) {{ {FIELDS} }} }}"""
SET_SOP = """mutation S($domain: String!, $content: String!) {
  setSop(domain: $domain, content: $content) { domain content version updatedAt } }"""
SOP = "query S($domain: String!) { sop(domain: $domain) { domain content version updatedAt } }"
EMPTY = """query E($topic: String!, $domain: String, $k: Int, $first: Int, $scope: String) {
  commons(topic: $topic, domain: $domain, k: $k) { id content domain confidence source score
    verifiedBy { id } promotedFrom { id } }
  board(scope: $scope) { key value scope version actor updatedAt }
  whoKnows(topic: "zebulon", first: $first) { user { id } agent { id } topic confidence }
  }"""
NOTE = """query N($id: ID!) { note(id: $id) { id title content kind domain visibility version
  accessCount halfLifeHours tags keywords entities { name } revisions { version content } } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
SEE = """mutation S($id: ID, $d: String, $v: Visibility!) {
  setVisibility(id: $id, domain: $d, visibility: $v) { updatedCount } }"""
FORGET = "mutation F($id: ID!, $p: Boolean) { forget(id: $id, permanent: $p) { forgotten } }"
EVENTS = """query E($types: [String!], $s: ID) { events(types: $types, subjectId: $s, first: 500) {
  type actor domain summary channel data } }"""
DEPLOY = {"name": "deploy-to-production", "procedure": "1. Run the tests. 2. Build. 3. Deploy."}
TEA = {"name": "Brew tea", "procedure": "Heat water, wait four minutes.", "tags": ["kitchen"]}


async def add(api: Any, **given: Any) -> dict[str, Any]:
    return (await api(ADD, **{**DEPLOY, **given}))["addSkill"]


async def names(api: Any, **given: Any) -> list[str]:
    return [skill["name"] for skill in (await api(SKILLS, **given))["skills"]]


@pytest.mark.feature("MUMA-130")
async def test_without_a_team_the_commons_is_a_personal_skill_library(api: Any) -> None:
    made = await add(api, trigger="before each release", tags=["devops", "release"])
    assert made == {
        "id": made["id"],
        **DEPLOY,
        "trigger": "before each release",
        "tags": ["devops", "release"],
        "successCount": 0,
        "failureCount": 0,
        "trust": pytest.approx(0.4),
        "version": 1,
        "lastUsedAt": None,
        "sourceAgents": [],
    }
    await add(api, **TEA)
    assert (await api(SKILLS, search="deploy"))["skills"] == [made]
    sop = (await api(SET_SOP, domain="business", content="Answer within a day."))["setSop"]
    assert (await api(SOP, domain="business"))["sop"] == sop
    empty = await api(EMPTY, topic="deploy", domain="business")
    assert empty == {"commons": [], "board": [], "whoKnows": []}


@pytest.mark.feature("MUMA-59")
async def test_a_stranger_gets_nothing_of_it(api: Any, new_user: Callable[[], str]) -> None:
    made = await add(api, tags=["devops"])
    await api(SET_SOP, domain="business/sales", content="Answer within a day.")
    stranger = api.as_user(new_user())
    for asks in (stranger, stranger.as_agent("coding")):
        assert await names(asks) == await names(asks, search="deploy") == []
        assert await names(asks, tags=["devops"]) == []
        assert (await asks(SOP, domain="business/sales"))["sop"] is None
        assert await asks(EMPTY, topic="deploy") == {"commons": [], "board": [], "whoKnows": []}
        assert await asks.code(REPORT, id=made["id"], success=True) == "NOT_FOUND"
        assert await asks.recall("deploy to production tests build") == []
    assert (await add(stranger))["id"] != made["id"]
    await stranger(SET_SOP, domain="business/sales", content="Never answer.")
    assert (await api(SKILLS))["skills"] == [made]
    assert (await api(SOP, domain="business/sales"))["sop"]["content"] == "Answer within a day."


async def test_a_skill_is_a_note_that_is_recalled_forgotten_and_restored(api: Any) -> None:
    made = await add(api, trigger="before each release", tags=["devops"])
    note = (await api(NOTE, id=made["id"]))["note"]
    assert note["title"] == DEPLOY["name"]
    assert note["content"] == DEPLOY["procedure"]
    assert (note["kind"], note["domain"], note["visibility"]) == ("PROCEDURAL", "skills", "OPEN")
    assert {"release", "deploy-to-production"} <= set(note["keywords"])
    assert [entity["name"] for entity in note["entities"]] == [DEPLOY["name"]]
    hits = await api.recall("deploy to production")
    assert [hit["note"]["id"] for hit in hits] == [made["id"]]
    assert (await api(FORGET, id=made["id"]))["forget"]["forgotten"] == 1
    assert await names(api) == []
    assert await api.code(REPORT, id=made["id"], success=True) == "NOT_FOUND"
    await api("mutation R($id: ID!) { restore(id: $id) { id } }", id=made["id"])
    assert await names(api) == [DEPLOY["name"]]
    await api(FORGET, id=made["id"], p=True)
    assert await names(api) == []
    assert (await add(api))["version"] == 1


async def test_the_same_name_makes_a_new_version(api: Any) -> None:
    first = await add(api, trigger="on Fridays", tags=["devops"])
    await api(REPORT, id=first["id"], success=True)
    coding = api.as_agent("coding")
    second = await add(coding, name="Deploy to Production", procedure="Push the button.")
    assert (second["id"], second["version"]) == (first["id"], 2)
    assert (second["name"], second["procedure"]) == (DEPLOY["name"], "Push the button.")
    assert (second["trigger"], second["tags"]) == ("on Fridays", ["devops"])
    assert second["successCount"] == 0  # trust belongs to a version
    assert second["sourceAgents"] == [{"id": "coding"}]
    third = await add(coding, tags=[], trigger="always")
    assert (third["version"], third["tags"], third["trigger"]) == (3, [], "always")
    assert third["sourceAgents"] == [{"id": "coding"}]
    note = (await api(NOTE, id=first["id"]))["note"]
    assert [(r["version"], r["content"]) for r in note["revisions"]] == [
        (3, DEPLOY["procedure"]),
        (2, "Push the button."),
        (1, DEPLOY["procedure"]),
    ]
    assert len((await api(SKILLS))["skills"]) == 1
    hits = await api.recall("push the button")
    assert [hit["note"]["id"] for hit in hits] == [first["id"]]


async def test_writers_at_the_same_time_make_one_skill(api: Any) -> None:
    made = await asyncio.gather(*(add(api, procedure=f"Way {i}.") for i in range(4)))
    assert len({skill["id"] for skill in made}) == 1
    [skill] = (await api(SKILLS))["skills"]
    assert skill["version"] == 4
    await asyncio.gather(
        *(api(REPORT, id=skill["id"], success=i % 2 == 0) for i in range(8)),
    )
    [skill] = (await api(SKILLS))["skills"]
    assert (skill["successCount"], skill["failureCount"]) == (4, 4)


@pytest.mark.feature("MUMA-49")
async def test_a_report_counts_and_success_strengthens_the_note(api: Any) -> None:
    made = await add(api)
    good = (await api(REPORT, id=made["id"], success=True))["reportSkill"]
    assert (good["successCount"], good["failureCount"], good["version"]) == (1, 0, 1)
    assert good["lastUsedAt"] is not None
    assert good["trust"] == pytest.approx(2 / 3 * 0.8)
    note = (await api(NOTE, id=made["id"]))["note"]
    assert (note["accessCount"], note["halfLifeHours"]) == (1, pytest.approx(201.6))
    bad = (await api(REPORT, id=made["id"], success=False))["reportSkill"]
    assert (bad["successCount"], bad["failureCount"]) == (1, 1)
    assert bad["trust"] == pytest.approx(2 / 4 * 0.8)
    assert bad["lastUsedAt"] >= good["lastUsedAt"]
    assert (await api(NOTE, id=made["id"]))["note"]["accessCount"] == 1
    events = (await api(EVENTS, s=made["id"]))["events"]
    assert [(e["type"], e["data"]["success"], e["data"]["by"]) for e in events[1:]] == [
        ("EDIT", True, "manual"),
        ("EDIT", False, "manual"),
    ]


async def test_the_most_trusted_come_first_and_a_search_chooses(api: Any) -> None:
    tea = await add(api, **TEA)
    deploy = await add(api, tags=["devops", "release"])
    assert await names(api) == ["Brew tea", DEPLOY["name"]]
    await api(REPORT, id=deploy["id"], success=True)
    assert await names(api) == [DEPLOY["name"], "Brew tea"]
    assert await names(api, first=1) == [DEPLOY["name"]]
    assert await names(api, search="boil tea WATER") == ["Brew tea"]
    assert await names(api, search="release") == [DEPLOY["name"]]
    assert await names(api, search="knit a pullover") == []
    assert await names(api, tags=["devops", "release"]) == [DEPLOY["name"]]
    assert await names(api, tags=["devops", "kitchen"]) == []
    other = await api(
        "mutation R($i: RememberInput!) { remember(input: $i) { note { id } } }",
        i={"content": "Tea is green.", "kind": "PROCEDURAL", "domain": "skills"},
    )
    assert other["remember"]["note"]["id"] != tea["id"]
    assert await names(api, search="tea") == ["Brew tea"]


@pytest.mark.feature("MUMA-49")
async def test_agents_read_and_write_within_their_gate(api: Any) -> None:
    await api(AGENT, i={"id": "sales", "domains": ["business/sales"]})
    await api(AGENT, i={"id": "meek", "writes": "PROPOSE"})
    sales, meek = api.as_agent("sales"), api.as_agent("meek")
    made = await add(api.as_agent("coding"))
    assert made["sourceAgents"] == [{"id": "coding"}]
    assert await names(sales) == [DEPLOY["name"]]
    assert await names(meek) == [DEPLOY["name"]]
    assert await meek.code(ADD, **TEA) == "FORBIDDEN"
    assert await meek.code(REPORT, id=made["id"], success=True) == "FORBIDDEN"
    assert await meek.code(SET_SOP, domain="x", content="x") == "FORBIDDEN"
    await api(SEE, id=made["id"], v="PRIVATE")
    assert await names(sales) == await names(sales, search="deploy") == []
    assert await sales.code(REPORT, id=made["id"], success=True) == "NOT_FOUND"
    again = await add(sales, procedure="Another way.")
    assert (again["version"], again["id"] == made["id"]) == (1, False)
    assert (await api(NOTE, id=made["id"]))["note"]["content"] == DEPLOY["procedure"]
    assert await names(sales) == [DEPLOY["name"]]
    assert len(await names(api)) == 2


async def test_a_rule_decides_who_reads_new_skills(api: Any) -> None:
    sales = api.as_agent("sales")
    await api(SEE, d="skills", v="PRIVATE")
    mine = await add(api)
    assert (await api(NOTE, id=mine["id"]))["note"]["visibility"] == "PRIVATE"
    theirs = await add(sales, **TEA)
    assert await names(sales) == ["Brew tea"]
    assert await names(api.as_agent("coding")) == []
    await api(SEE, d="skills", v="USER_ONLY")
    hidden = await add(sales, name="Locked")
    assert hidden["name"] == "Locked"
    assert await names(sales) == []
    assert await names(api) == ["Brew tea", "Locked", DEPLOY["name"]]
    assert await sales.code(NOTE, id=theirs["id"]) == "NOT_FOUND"
    await api(SEE, d="skills", v="OPEN")
    assert len(await names(sales)) == 3


async def test_a_procedure_holds_in_its_domain_and_all_below(api: Any) -> None:
    first = (await api(SET_SOP, domain="business", content="Answer within a day."))["setSop"]
    assert (first["domain"], first["version"]) == ("business", 1)
    second = (await api(SET_SOP, domain="business", content="Answer within an hour."))["setSop"]
    assert (second["version"], second["content"]) == (2, "Answer within an hour.")
    assert (await api(SOP, domain="business/sales/emea"))["sop"] == second
    deeper = (await api(SET_SOP, domain="business/sales", content="Call back."))["setSop"]
    assert (await api(SOP, domain="business/sales/emea"))["sop"] == deeper
    assert (await api(SOP, domain="business/salesforce"))["sop"] == second
    assert (await api(SOP, domain="personal"))["sop"] is None
    events = (await api(EVENTS, types=["EDIT"]))["events"]
    assert [(e["domain"], e["channel"]) for e in events] == [
        ("business", "knowledge_update"),
        ("business", "knowledge_update"),
        ("business/sales", "knowledge_update"),
    ]


async def test_an_agent_gets_the_procedures_of_its_work_only(api: Any) -> None:
    await api(AGENT, i={"id": "sales", "domains": ["business/sales"]})
    await api(AGENT, i={"id": "main", "canSeePrivate": True})
    sales, other, main = api.as_agent("sales"), api.as_agent("other"), api.as_agent("main")
    await api(SET_SOP, domain="business", content="Answer within a day.")
    await api(SET_SOP, domain="personal/health", content="Take the pills at noon.")
    content = "Answer within a day."
    assert (await sales(SOP, domain="business/sales"))["sop"]["content"] == content
    assert (await sales(SOP, domain="business/coding"))["sop"] is None
    assert (await sales(SOP, domain="business"))["sop"] is None
    assert await sales.code(SET_SOP, domain="business", content="x") == "FORBIDDEN"
    made = (await sales(SET_SOP, domain="business/sales", content="Call back."))["setSop"]
    assert (await api(SOP, domain="business/sales"))["sop"] == made
    assert (await other(SOP, domain="personal/health"))["sop"] is not None
    await api(SEE, d="personal", v="PRIVATE")
    assert (await other(SOP, domain="personal/health"))["sop"] is None
    assert await other.code(SET_SOP, domain="personal/health", content="x") == "FORBIDDEN"
    assert (await main(SOP, domain="personal/health"))["sop"] is not None
    await api(SEE, d="personal", v="USER_ONLY")
    assert (await main(SOP, domain="personal/health"))["sop"] is None
    assert (await api(SOP, domain="personal/health"))["sop"] is not None
    for agent in (sales, other, main):
        seen = (await agent(EVENTS, types=["EDIT"]))["events"]
        assert not [event for event in seen if event["channel"] == "knowledge_update"]


async def test_a_private_procedure_gives_way_to_the_one_above(api: Any) -> None:
    await api(SET_SOP, domain="business", content="Open.")
    await api(SET_SOP, domain="business/merger", content="Secret.")
    await api(SEE, d="business/merger", v="PRIVATE")
    agent = api.as_agent("other")
    assert (await agent(SOP, domain="business/merger"))["sop"]["content"] == "Open."
    assert (await api(SOP, domain="business/merger"))["sop"]["content"] == "Secret."


@pytest.mark.parametrize(
    ("query", "given"),
    [
        (ADD, {**DEPLOY, "name": "  "}),
        (ADD, {**DEPLOY, "name": "!?"}),
        (ADD, {**DEPLOY, "name": "a\x00b"}),
        (ADD, {**DEPLOY, "name": "x" * 501}),
        (ADD, {**DEPLOY, "procedure": ""}),
        (ADD, {**DEPLOY, "procedure": "x" * 50_001}),
        (ADD, {**DEPLOY, "trigger": " "}),
        (ADD, {**DEPLOY, "trigger": "x" * 2_001}),
        (ADD, {**DEPLOY, "tags": ["x"] * 51}),
        (ADD, {**DEPLOY, "tags": [""]}),
        (SET_SOP, {"domain": "a//b", "content": "x"}),
        (SET_SOP, {"domain": "", "content": "x"}),
        (SET_SOP, {"domain": "a", "content": "\x00"}),
        (SET_SOP, {"domain": "a", "content": "x" * 50_001}),
        (SOP, {"domain": "/a"}),
        (SKILLS, {"search": ""}),
        (SKILLS, {"search": "x" * 10_001}),
        (SKILLS, {"first": 0}),
        (SKILLS, {"first": 501}),
        (SKILLS, {"tags": ["\x00"]}),
        (EMPTY, {"topic": " "}),
        (EMPTY, {"topic": "x", "k": 0}),
        (EMPTY, {"topic": "x", "first": 0}),
        (EMPTY, {"topic": "x", "domain": "a b"}),
        (EMPTY, {"topic": "x", "scope": "\x00"}),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else value.split("(")[0],
)
async def test_bad_input_is_told_and_changes_nothing(
    api: Any, query: str, given: dict[str, Any]
) -> None:
    assert await api.code(query, **given) == "BAD_USER_INPUT"
    assert await names(api) == []
    assert (await api(EVENTS))["events"] == []
    assert await api.code(REPORT, id="nothing", success=True) == "NOT_FOUND"
