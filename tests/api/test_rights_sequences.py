"""Ways around what a user decided that take several steps, or another field than the text of a
note: each was one, and each ends where it began."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from clients import Client

TEXT = "Voucher wq77120 opens the northern gate of the yard."
NEITHER = "Nothing at all stands here any more."
REGISTER = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
RULE = """mutation R($d: String!, $v: Visibility!) {
  setVisibility(domain: $d, visibility: $v) { updatedCount } }"""
SET = """mutation S($id: ID!, $to: Visibility!) {
  setVisibility(id: $id, visibility: $to) { updatedCount } }"""
REVISE = """mutation R($id: ID!, $content: String, $domain: String, $title: String) {
  revise(id: $id, content: $content, domain: $domain, title: $title) { id } }"""
REMEMBER = """mutation R($input: RememberInput!) { remember(input: $input) {
  operation note { id } proposal { id } } }"""
FORGET = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
HANDOFF = """mutation H($notes: [ID!]!, $summary: String = "see these") {
  handoff(to: "stranger", summary: $summary, noteIds: $notes) { id } }"""
COMMIT = """mutation C($id: ID!, $changes: ProposalChanges) {
  decideProposal(id: $id, decision: COMMIT, changes: $changes) { result { id } } }"""
RESOLVE = """mutation R($id: ID!, $keep: ID!) {
  resolveConflict(id: $id, verdict: COMPATIBLE, keep: $keep) { open } }"""
CONFLICTS = "{ conflicts { id } }"
COMMAND = "mutation C($text: String!) { command(text: $text) { note { id } } }"
PIN = "mutation P($id: ID!, $to: Boolean!) { pin(id: $id, pinned: $to) { id } }"
SKILL = """mutation S($name: String!, $procedure: String!, $trigger: String, $tags: [String!]) {
  addSkill(name: $name, procedure: $procedure, trigger: $trigger, tags: $tags) { id } }"""
SOP = 'mutation S($text: String!) { setSop(domain: "elsewhere", content: $text) { domain } }'
LINK = """mutation L($a: ID!, $b: ID!, $text: String!) {
  link(source: $a, target: $b, kind: "about", reason: $text) { id } }"""
ALL = """{ notes(first: 100) { nodes { content title tags keywords metadata speaker episode
    entities { name } links { reason } } } handoffs { summary notes { content } }
  proposals { content title } skills { name trigger tags procedure }
  sop(domain: "elsewhere") { content } }"""
OPEN = {"visibility": "OPEN", "domain": "common"}
AGENTS: Mapping[str, Mapping[str, Any]] = {
    "worker": {"domains": ["work", "common"]},
    "boss": {"role": "ORCHESTRATOR"},
    "stranger": {"domains": ["elsewhere"]},
    "shy": {"domains": ["elsewhere"], "writes": "PROPOSE"},
    "quiet": {"writes": "PROPOSE"},
}


@pytest.fixture
async def note(api: Client) -> str:
    """The id of a note that the user wrote where a rule says who reads."""
    for name, profile in AGENTS.items():
        await api(REGISTER, i={"id": name, **profile})
    await api(RULE, d="work/r", v="SCOPED")
    return await say(api, domain="work/r")


async def say(client: Client, content: str = TEXT, **given: Any) -> str:
    made = (await client(REMEMBER, input={"content": content, **given}))["remember"]
    return made["note"]["id"] if made["note"] else made["proposal"]["id"]


async def sees(client: Client) -> bool:
    return "wq77120" in json.dumps(await client(ALL)).lower()


async def refused(client: Client, query: str, **given: Any) -> bool:
    return await client.code(query, **given) == "FORBIDDEN"


async def test_a_text_that_was_revised_away_is_still_known(api: Client, note: str) -> None:
    worker = api.as_agent("worker")
    await worker(REVISE, id=note, content=NEITHER)
    assert await refused(worker, REMEMBER, input={"content": TEXT, **OPEN})
    await worker(REVISE, id=note, content=TEXT)  # where it stood it may stand again
    assert not await sees(api.as_agent("stranger"))


async def test_a_text_that_has_grown_is_still_known(api: Client, note: str) -> None:
    worker = api.as_agent("worker")
    await say(worker, f"{TEXT[:-1]}, and it closes at nine.", domain="work/r")
    assert await refused(worker, REMEMBER, input={"content": TEXT, **OPEN})


@pytest.mark.parametrize("field", ["content", "title"])
async def test_a_reviewer_commits_no_copy(api: Client, note: str, field: str) -> None:
    proposal = await say(api.as_agent("shy"), "Something about quite other things.")
    boss = api.as_agent("boss")
    assert await refused(boss, COMMIT, id=proposal, changes={field: TEXT})
    await api(COMMIT, id=proposal, changes={field: TEXT})  # the user may


async def test_no_copy_is_proposed(api: Client, note: str) -> None:
    assert await refused(api.as_agent("quiet"), REMEMBER, input={"content": TEXT, **OPEN})
    assert not await sees(api.as_agent("stranger"))


async def test_a_merge_keeps_what_was_decided_of_either(api: Client, note: str) -> None:
    words = "of the renovation of the old dairy for the spring kiln fair in the east hall"
    worker, given = api.as_agent("worker"), {"domain": "work/o", "kind": "SEMANTIC"}
    marked = await say(api, f"The deadline {words} is March 15.", visibility="SCOPED", **given)
    await api(SET, id=marked, to="SCOPED")
    own = await say(worker, f"The deadline {words} is March 30.", visibility="SCOPED", **given)
    [conflict] = (await api(CONFLICTS))["conflicts"]
    await worker(RESOLVE, id=conflict["id"], keep=own)
    assert await refused(worker, SET, id=own, to="OPEN")


@pytest.mark.parametrize("way", ["move", "copy"])
async def test_what_left_a_rule_is_not_lent_beyond_it(api: Client, note: str, way: str) -> None:
    boss, lent = api.as_agent("boss"), note
    if way == "move":
        await boss(REVISE, id=note, domain="work")
    else:
        lent = await say(boss, domain="work")
    assert await refused(boss, HANDOFF, notes=[lent])


@pytest.mark.parametrize(
    "given",
    [
        {"title": TEXT},
        {"tags": [TEXT]},
        {"keywords": [TEXT]},
        {"metadata": {"x": [{"y": TEXT}]}},
        {"metadata": {TEXT: 1}},
        {"speaker": TEXT},
        {"episode": TEXT},
        {"entities": [{"name": TEXT}]},
        {"content": TEXT.replace("gate", "ga\u00adte")},
    ],
)
async def test_no_field_of_a_note_takes_a_copy(api: Client, note: str, given: Any) -> None:
    worker, told = api.as_agent("worker"), {"content": "Something about other things."}
    assert await refused(worker, REMEMBER, input={**told, **OPEN, **given})
    own = await say(worker, **{**told, **OPEN})
    assert await refused(worker, REVISE, id=own, title=TEXT)
    assert await refused(worker, LINK, a=own, b=note, text=TEXT)
    assert not await sees(api.as_agent("stranger"))


async def test_no_skill_procedure_or_summary_takes_a_copy(api: Client, note: str) -> None:
    worker, boss = api.as_agent("worker"), api.as_agent("boss")
    plain = {"name": "Gate", "procedure": "Do this, then do that.", "trigger": "now", "tags": []}
    for field in ("name", "procedure", "trigger"):
        assert await refused(worker, SKILL, **{**plain, field: TEXT})
    assert await refused(worker, SKILL, **{**plain, "tags": [TEXT]})
    assert await refused(boss, SOP, text=TEXT)
    assert await refused(boss, HANDOFF, notes=[], summary=TEXT)
    assert not await sees(api.as_agent("stranger"))


async def test_what_the_user_did_by_hand_is_not_destroyed(api: Client, note: str) -> None:
    worker, boss = api.as_agent("worker"), api.as_agent("boss")
    await api(RULE, d="work/narrow", v="PRIVATE")
    revised = await say(worker, "A note of the worker on the kiln.", domain="work/o")
    await api(REVISE, id=revised, content="The user says it better now.", domain="work/narrow")
    await api(SET, id=revised, to="SCOPED")
    pinned = await api(COMMAND, text="Remember permanently: the kiln is cleaned on Friday.")
    proposal = await say(api.as_agent("shy"), "Something about quite other things.")
    done = await api(COMMIT, id=proposal, changes={"content": "The user's own words for it."})
    committed = done["decideProposal"]["result"]["id"]
    for each in (revised, pinned["command"]["note"]["id"], committed):
        await boss.post(PIN, id=each, to=False)
        assert await refused(boss, FORGET, id=each)
