"""What is done with what `consult` found with others: feedback on it, and keeping it."""

from typing import Any

import pytest
from rest import Rest

TEAM = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
SHARE = """mutation S($domain: String!, $team: ID!, $share: Boolean) {
  shareDomain(domain: $domain, team: $team, share: $share) { id } }"""
AGENT = "mutation A($input: AgentInput!) { registerAgent(input: $input) { id } }"
CONSULT = """query C($question: String!, $track: Boolean) {
  consult(question: $question, track: $track) { steps answered recallId
    expert { user { id } agent { id } } hits { note { id } } } }"""
GIVE = """mutation F($id: ID!, $used: [ID!]!, $ok: Boolean) {
  feedback(recallId: $id, used: $used, helpful: $ok) }"""
KEEP = """mutation K($id: ID!, $note: ID!, $domain: String) {
  keepFinding(recallId: $id, noteId: $note, domain: $domain) { id content domain visibility source
    metadata author { id } derivedFrom { id } } }"""
STATE = """query N($id: ID!) { note(id: $id) { version accessCount halfLifeHours } }"""
EXPERTISE = "{ agents { id expertise { topic successes failures } } }"
EVENTS = "{ events(first: 200) { summary actor subjectId } }"
PROPOSE = """mutation P($id: ID!, $team: ID) {
  proposeKnowledge(noteId: $id, team: $team) { id } }"""
ROLLOUT = "A rollout of the kubernetes cluster needs a drained node."
QUESTION = "What does a rollout of the kubernetes cluster need?"


class Found:
    """Ann's agent `coding` knows, and shares it; Bo's agent `helper` has asked."""

    def __init__(self, ann: Any, bo: Any, team: str, note: str) -> None:
        self.ann, self.bo, self.team, self.note = ann, bo, team, note
        self.helper, self.recall = bo.as_agent("helper"), ""

    async def ask(self, **given: Any) -> Any:
        found = (await self.helper(CONSULT, question=QUESTION, **given))["consult"]
        assert [hit["note"]["id"] for hit in found["hits"]] == [self.note]
        return found["recallId"]


@pytest.fixture
async def found(api: Any, new_user: Any) -> Found:
    bo, team = api.as_user(new_user()), new_user()
    await api(TEAM, id=team, of=[api.user, bo.user])
    note = (await api.as_agent("coding").remember(ROLLOUT, domain="business/coding"))["note"]["id"]
    await api(SHARE, domain="business/coding", team=team)
    made = Found(api, bo, team, note)
    made.recall = await made.ask()
    return made


async def counts(found: Found) -> tuple[int, int]:
    """What Ann reads of the successes and failures of her agent."""
    known = {each["id"]: each["expertise"] for each in (await found.ann(EXPERTISE))["agents"]}
    told = {(each["successes"], each["failures"]) for each in known["coding"]}
    assert len(told) == 1
    return told.pop()


@pytest.mark.feature("MUMA-56")
async def test_feedback_on_what_others_know_counts_for_them_and_strengthens_nothing(
    found: Found,
) -> None:
    before = await found.ann(STATE, id=found.note)
    for ok, told in ((True, (1, 0)), (True, (1, 0)), (False, (0, 1))):
        await found.helper(GIVE, id=found.recall, used=[found.note], ok=ok)
        assert await counts(found) == told
    assert await found.ann(STATE, id=found.note) == before
    events = (await found.ann(EVENTS))["events"]
    told = [(e["summary"], e["actor"]) for e in events if "help" in e["summary"]]
    helper = f"bot:{found.bo.user}/helper"
    assert told == [("note helped", helper), ("note did not help", helper)]
    assert (await found.helper(EVENTS))["events"] == []


async def test_feedback_on_it_needs_that_it_is_shared(found: Found) -> None:
    await found.ann(SHARE, domain="business/coding", team=found.team, share=False)
    given = {"id": found.recall, "used": [found.note]}
    assert await found.helper.code(GIVE, **given) == "BAD_USER_INPUT"
    assert await found.bo.as_agent("other").code(GIVE, **given) == "NOT_FOUND"
    assert await found.ann.code(GIVE, **given) == "NOT_FOUND"
    assert await counts(found) == (0, 0)


async def test_what_is_not_tracked_leaves_nothing(found: Found) -> None:
    assert await found.ask(track=False) is None
    rest = Rest(found.bo.http, found.bo.user, "helper")
    answer = await rest("GET", "/v1/consult", question=QUESTION)
    assert answer.json()["answered"]
    assert answer.json()["recallId"] is None
    nobody = (await found.helper(CONSULT, question="Who sings a sonnet?"))["consult"]
    assert (nobody["answered"], nobody["recallId"]) == (False, None)


async def test_an_answer_of_ones_own_memory_is_a_recall(api: Any) -> None:
    note = (await api.remember(ROLLOUT))["note"]["id"]
    own = (await api(CONSULT, question=QUESTION))["consult"]
    assert own["steps"] == ["own memory: it knows"]
    await api(GIVE, id=own["recallId"], used=[note])
    assert (await api(STATE, id=note))["note"]["accessCount"] == 2


@pytest.mark.feature("MUMA-55")
async def test_a_finding_is_kept_only_when_asked_for_and_stays(found: Found) -> None:
    helper = found.helper
    assert (await helper("{ stats { totalNotes } }"))["stats"]["totalNotes"] == 0
    kept = (await helper(KEEP, id=found.recall, note=found.note))["keepFinding"]
    assert kept == {
        "id": kept["id"],
        "content": ROLLOUT,
        "domain": "business/coding",
        "visibility": "PRIVATE",
        "source": "TOLD",
        "metadata": {"foundWith": {"user": found.ann.user, "agent": "coding"}},
        "author": {"id": "helper"},
        "derivedFrom": [],  # which it reads as long as that is shared, and not by itself
    }
    again = (await helper(KEEP, id=found.recall, note=found.note))["keepFinding"]
    assert again["id"] == kept["id"]
    own = (await helper(CONSULT, question=QUESTION))["consult"]
    assert own["steps"] == ["own memory: it knows"]
    events = [e for e in (await found.ann(EVENTS))["events"] if "kept" in e["summary"]]
    assert [(e["actor"], e["subjectId"]) for e in events] == [
        (f"bot:{found.bo.user}/helper", found.note)
    ]
    await found.ann(SHARE, domain="business/coding", team=found.team, share=False)
    assert await helper(STATE, id=kept["id"])
    fresh = {"id": found.recall, "note": found.note, "domain": "elsewhere"}
    assert await helper.code(KEEP, **fresh) == "BAD_USER_INPUT"


async def test_only_what_a_consultation_found_with_others_is_kept(found: Found) -> None:
    helper = found.helper
    secret = (await found.ann.remember(ROLLOUT + " Secretly.", visibility="PRIVATE"))["note"]["id"]
    for note in (secret, "none"):
        assert await helper.code(KEEP, id=found.recall, note=note) == "BAD_USER_INPUT"
    for other in (found.ann, found.bo.as_agent("other")):
        assert await other.code(KEEP, id=found.recall, note=found.note) == "NOT_FOUND"
    own = (await found.ann(CONSULT, question=QUESTION))["consult"]
    answer = await found.ann.code(KEEP, id=own["recallId"], note=found.note)
    assert answer == "BAD_USER_INPUT"


async def test_what_was_found_with_others_is_not_ones_own_to_promote(found: Found) -> None:
    kept = (await found.helper(KEEP, id=found.recall, note=found.note))["keepFinding"]["id"]
    wide = "mutation V($id: ID!) { setVisibility(id: $id, visibility: OPEN) { updatedCount } }"
    await found.bo(wide, id=kept)
    assert await found.bo.code(PROPOSE, id=kept, team=found.team) == "FORBIDDEN"


@pytest.mark.feature("MOLT-81")
async def test_an_agent_that_may_only_propose_gives_no_feedback_and_keeps_nothing(
    found: Found,
) -> None:
    await found.bo(AGENT, input={"id": "helper", "writes": "PROPOSE"})
    assert await found.helper.code(GIVE, id=found.recall, used=[found.note]) == "FORBIDDEN"
    assert await found.helper.code(KEEP, id=found.recall, note=found.note) == "FORBIDDEN"
    assert await counts(found) == (0, 0)


@pytest.mark.feature("MUMA-117")
async def test_who_reads_a_note_is_told_with_the_reason(found: Found) -> None:
    asked = "query N($id: ID!) { note(id: $id) { readers { agent { id } team { id } reason } } }"
    hide = "mutation V($id: ID!) { setVisibility(id: $id, visibility: PRIVATE) { updatedCount } }"
    await found.ann(AGENT, input={"id": "main", "canSeePrivate": True})
    await found.ann(AGENT, input={"id": "sales", "domains": ["business/sales"]})

    async def told() -> dict[str | None, str]:
        readers = (await found.ann(asked, id=found.note))["note"]["readers"]
        return {(r["agent"] or r["team"] or {}).get("id"): r["reason"] for r in readers}

    works, shares = "it works in business/coding", "the user shares business/coding with the team"
    assert await told() == {
        None: "it is the user's own",
        "coding": works,
        "main": works,
        found.team: f"{shares}: consult reads it",
    }
    await found.ann(hide, id=found.note)
    assert await told() == {
        None: "it is the user's own",
        "coding": "it wrote the note",
        "main": "it may see private notes",
    }
