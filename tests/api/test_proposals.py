"""Notes of agents that may only propose wait for a decision, hidden as the notes would be."""

import asyncio
from typing import Any

import pytest

from graphmem.domain.proposals import Reviewing, ReviewMode
from graphmem.store import proposals as store

FIELDS = """id kind status content title domain noteKind source tags entities confidence coreWorthy
  at expiresAt reason from { id } note { id } result { id content author { id } }
  conflictsWith { id content }"""
REMEMBER = f"""mutation R($input: RememberInput!) {{ remember(input: $input) {{
  operation reason noteId note {{ id }} proposal {{ {FIELDS} }} }} }}"""
LIST = f"query P($status: ProposalStatus) {{ proposals(status: $status) {{ {FIELDS} }} }}"
DECIDE = f"""mutation D($id: ID!, $decision: Decision!, $reason: String,
  $changes: ProposalChanges, $keepBoth: Boolean) {{ decideProposal(id: $id, decision: $decision,
  reason: $reason, changes: $changes, keepBoth: $keepBoth) {{ {FIELDS} }} }}"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
SEE = """mutation S($d: String, $v: Visibility!) { setVisibility(domain: $d, visibility: $v) {
  updatedCount } }"""
NOTES = "{ notes(first: 100) { totalCount nodes { id content confidence kind domain } } }"
EVENTS = """query E($types: [String!], $s: ID) { events(types: $types, subjectId: $s, first: 500) {
  type actor summary channel data } }"""
TEXT = "The user prefers academic sources over blog posts."
MARCH = (
    "The deadline of the Halden project is March 15.",
    "The deadline of the Halden project is March 30.",
)


async def set_up(api: Any) -> tuple[Any, Any]:
    """A researcher that proposes, and the main agent."""
    await api(AGENT, i={"id": "researcher", "writes": "PROPOSE"})
    await api(AGENT, i={"id": "main", "role": "ASSISTANT", "canSeePrivate": True})
    return api.as_agent("researcher"), api.as_agent("main")


async def propose(client: Any, content: str = TEXT, **given: Any) -> dict[str, Any]:
    made = (await client(REMEMBER, input={"content": content, **given}))["remember"]
    assert (made["operation"], made["note"], made["noteId"]) == ("PROPOSE", None, None)
    return made["proposal"]


async def decide(client: Any, proposal: dict[str, Any], decision: str, **given: Any) -> Any:
    return (await client(DECIDE, id=proposal["id"], decision=decision, **given))["decideProposal"]


async def listed(client: Any, status: str | None = None) -> list[str]:
    return [each["id"] for each in (await client(LIST, status=status))["proposals"]]


@pytest.mark.feature("MOLT-81", "MOLT-82")
async def test_an_agent_that_may_only_propose_makes_a_proposal_and_no_note(api: Any) -> None:
    researcher, main = await set_up(api)
    made = await propose(researcher, entities=[{"name": "Halden"}], confidence=0.6)
    assert made == {
        **made,
        "kind": "WRITE",
        "status": "PENDING",
        "content": TEXT,
        "from": {"id": "researcher"},
        "confidence": 0.6,
        "source": "EXPERIENCE",
        "reason": None,
        "result": None,
        "conflictsWith": [],
    }
    assert "Halden" in made["entities"]
    assert made["noteKind"] in ("SEMANTIC", "EPISODIC")
    for client in (api, main, researcher):
        assert (await client(LIST))["proposals"] == [made]
        assert await client.recall("academic sources") == []
    assert (await api(NOTES))["notes"]["totalCount"] == 0


@pytest.mark.feature("MOLT-83", "MOLT-84")
async def test_a_committed_proposal_is_a_note_of_its_agent(api: Any) -> None:
    researcher, main = await set_up(api)
    made = await propose(researcher)
    done = await decide(main, made, "COMMIT", reason="good to know")
    assert (done["status"], done["reason"]) == ("COMMITTED", "good to know")
    assert done["result"]["author"] == {"id": "researcher"}
    assert done["result"]["content"] == done["content"] == TEXT
    hits = await api.recall("academic sources")
    assert [hit["note"]["id"] for hit in hits] == [done["result"]["id"]]
    created = (await api(EVENTS, types=["CREATE"]))["events"]
    assert [each["actor"] for each in created] == ["bot:commit-from:researcher"]
    assert await listed(api, "PENDING") == []
    assert await listed(api, "COMMITTED") == [made["id"]]
    for again in ("COMMIT", "REJECT"):
        assert await api.code(DECIDE, id=made["id"], decision=again) == "CONFLICT"


@pytest.mark.feature("MOLT-83")
async def test_a_proposal_is_committed_to_another_store(api: Any) -> None:
    researcher, _ = await set_up(api)
    made = await propose(researcher)
    changes = {
        "content": "Prefer papers.",
        "kind": "PROCEDURAL",
        "domain": "docs",
        "confidence": 0.9,
    }
    done = await decide(api, made, "COMMIT", changes=changes)
    assert done["result"]["content"] == "Prefer papers."
    [note] = (await api(NOTES))["notes"]["nodes"]
    assert note == {**changes, "id": done["result"]["id"]}


@pytest.mark.feature("MUMA-120")
async def test_an_agent_commits_nothing_to_more_readers_than_the_rule_allows(api: Any) -> None:
    researcher, main = await set_up(api)
    await api(SEE, d="vault", v="SCOPED")
    made = await propose(researcher, "The vault has two keys.", domain="vault")
    given = {"id": made["id"], "decision": "COMMIT", "changes": {"domain": "docs"}}
    assert await main.code(DECIDE, **given) == "FORBIDDEN"
    assert (await api(NOTES))["notes"]["totalCount"] == 0
    assert (await api(DECIDE, **given))["decideProposal"]["status"] == "COMMITTED"


REFLECT = """mutation { reflect { id markdown items { id kind summary diff accepted } } }"""
SETTLE = """mutation D($id: ID!, $accept: [ID!]!) { decideReflection(id: $id, accept: $accept) {
  status items { kind summary } } }"""
REFLECTIONS = "{ reflections { id markdown items { kind summary diff } } }"


async def deferred_items(client: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    made = (await client(REFLECT))["reflect"]
    return made, [item for item in made["items"] if item["kind"] == "proposal"]


@pytest.mark.feature("MOLT-83")
async def test_what_is_deferred_comes_up_in_the_next_reflection(api: Any) -> None:
    researcher, main = await set_up(api)
    one, two = await propose(researcher), await propose(researcher, "The sky is green.")
    assert (await deferred_items(api))[1] == []
    await decide(main, one, "DEFER", reason="ask again in May")
    made, [item] = await deferred_items(api)
    assert item["summary"] == f"Proposed by researcher: {TEXT} (deferred: ask again in May)"
    assert item["diff"] == {"decideProposal": one["id"]}
    section = made["markdown"].partition("Deferred Proposals\n")[2].partition("\n\n")[0]
    assert section.endswith(item["summary"])
    assert two["content"] not in made["markdown"]  # it waits for its reviewer
    assert (await deferred_items(api))[1] == []  # the one that waits tells of it
    settled = (await api(SETTLE, id=made["id"], accept=[item["id"]]))["decideReflection"]
    assert settled["status"] in ("APPLIED", "PARTIAL")
    assert await listed(api, "DEFERRED") == [one["id"]]  # which decides the proposal itself not
    assert [each["summary"] for each in (await deferred_items(api))[1]] == [item["summary"]]
    await decide(main, one, "COMMIT")
    assert (await deferred_items(api))[1] == []
    for each in (await api(REFLECTIONS))["reflections"]:
        for told in (item for item in each["items"] if item["kind"] == "proposal"):
            assert told["summary"] == f"Proposed by researcher: {TEXT} (committed since)"


@pytest.mark.feature("MOLT-83")
@pytest.mark.parametrize("visibility", ["OPEN", "SCOPED", "PRIVATE", "USER_ONLY"])
async def test_a_reflection_tells_of_a_deferred_proposal_whom_its_note_would_be_for(
    api: Any, visibility: str
) -> None:
    """Nobody else learns of it, and what is for the user alone is in no reflection."""
    researcher, main = await set_up(api)
    await api(AGENT, i={"id": "gardener", "domains": ["garden"]})
    given = {"content": TEXT, "domain": "docs", "visibility": visibility}
    await researcher(REMEMBER, input=given)  # who can't read it is not given it
    [made] = (await api(LIST))["proposals"]
    clients = {"user": api, "main": main, "gardener": api.as_agent("gardener")}
    blank = {name: (await client(REFLECT))["reflect"] for name, client in clients.items()}
    await decide(api, made, "DEFER")
    readers = set()
    for name, client in clients.items():
        told, items = await deferred_items(client)
        assert len(items) <= 1
        assert (TEXT in told["markdown"]) is bool(items)
        if items:
            readers.add(name)
        else:
            assert len(told["items"]) >= len(blank[name]["items"])
    may = {name for name, client in clients.items() if made["id"] in await listed(client)}
    assert readers == (may if visibility != "USER_ONLY" else set())


@pytest.mark.feature("MOLT-91")
async def test_rejecting_and_deferring_tell_why(api: Any) -> None:
    researcher, main = await set_up(api)
    one, two = await propose(researcher), await propose(researcher, "The sky is green.")
    assert (await decide(main, one, "DEFER", reason="later"))["status"] == "DEFERRED"
    assert (await decide(main, two, "REJECT", reason="duplicate"))["status"] == "REJECTED"
    events = (await api(EVENTS, types=["PROPOSE", "REJECT"]))["events"]
    assert [(e["type"], e["actor"]) for e in events] == [
        ("PROPOSE", "subagent:researcher"),
        ("PROPOSE", "subagent:researcher"),
        ("REJECT", "bot:main"),
    ]
    given = {"from": "researcher", "approval": "rejected", "reason": "duplicate"}
    assert events[2]["data"] == given
    assert (await decide(api, one, "COMMIT", reason="it is"))["status"] == "COMMITTED"  # later
    told = (await api(EVENTS, types=["EDIT", "COMMIT"]))["events"]
    told = [each for each in told if "approval" in each["data"]]
    assert [(e["type"], e["actor"], e["data"]["approval"]) for e in told] == [
        ("EDIT", "bot:main", "deferred"),
        ("COMMIT", "manual", "approved"),
    ]
    assert (told[1]["data"]["from"], told[1]["data"]["reason"]) == ("researcher", "it is")


async def test_who_decides(api: Any) -> None:
    researcher, main = await set_up(api)
    await api(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    await api(AGENT, i={"id": "boss", "role": "ORCHESTRATOR", "writes": "PROPOSE"})
    made = await propose(researcher)
    for nobody in (researcher, api.as_agent("boss"), api.as_agent("coding")):
        assert await nobody.code(DECIDE, id=made["id"], decision="COMMIT") == "FORBIDDEN"
    own = await propose(api.as_agent("boss"), "I am the boss.")
    assert await api.as_agent("boss").code(DECIDE, id=own["id"], decision="COMMIT") == "FORBIDDEN"
    assert (await decide(api.as_agent("lead"), made, "COMMIT"))["status"] == "COMMITTED"
    assert (await decide(main, own, "REJECT"))["status"] == "REJECTED"
    for given in ({"keepBoth": True}, {"changes": {"content": "x"}}):
        code = await api.code(DECIDE, id=own["id"], decision="REJECT", **given)
        assert code == "BAD_USER_INPUT"


async def test_a_proposal_is_as_hidden_as_its_note(api: Any, new_user: Any) -> None:
    researcher, main = await set_up(api)
    await api(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    await api(AGENT, i={"id": "sales", "domains": ["sales"], "role": "ORCHESTRATOR"})
    private = await propose(researcher, visibility="PRIVATE")
    scoped = await propose(researcher, "The vault has two keys.", domain="vault")
    lead, sales, stranger = api.as_agent("lead"), api.as_agent("sales"), api.as_user(new_user())
    assert await listed(api) == await listed(main) == [scoped["id"], private["id"]]
    assert await listed(lead) == [scoped["id"]]
    for other in (sales, stranger):
        assert await listed(other) == []
        for made in (private, scoped):
            assert await other.code(DECIDE, id=made["id"], decision="COMMIT") == "NOT_FOUND"
            assert (await other(EVENTS, s=made["id"]))["events"] == []
    assert await lead.code(DECIDE, id=private["id"], decision="COMMIT") == "NOT_FOUND"
    await api(SEE, d="vault", v="PRIVATE")  # a rule holds for what waits, too
    assert await listed(lead) == []
    assert (await lead(EVENTS, s=scoped["id"]))["events"] == []
    done = await decide(main, scoped, "COMMIT")
    assert done["result"] is not None
    assert await lead.recall("vault keys") == []
    await api(SEE, d="vault", v="USER_ONLY")
    assert await listed(main) == [private["id"]]  # who reads the note reads what it came of


async def test_what_it_may_not_read_itself_an_agent_is_not_shown(api: Any) -> None:
    researcher, _ = await set_up(api)
    made = await researcher(REMEMBER, input={"content": TEXT, "visibility": "USER_ONLY"})
    assert made["remember"]["proposal"] is None
    assert await listed(researcher) == []
    assert len(await listed(api)) == 1


@pytest.mark.feature("MOLT-85")
async def test_what_a_trusted_agent_is_sure_of_is_written_at_once(api: Any) -> None:
    await api(AGENT, i={"id": "coder", "writes": "AUTO_COMMIT"})
    coder = api.as_agent("coder")
    sure = (await coder(REMEMBER, input={"content": TEXT, "confidence": 0.9}))["remember"]
    assert sure["operation"] == "ADD"
    [event] = (await api(EVENTS, types=["CREATE"]))["events"]
    assert event["actor"] == "bot:commit-from:coder"
    await propose(coder, "The sky is green.", confidence=0.7)
    revise = 'mutation R($id: ID!) { revise(id: $id, content: "x") { id } }'
    assert await coder.code(revise, id=sure["noteId"]) == "FORBIDDEN"


@pytest.mark.feature("MOLT-86")
async def test_a_session_begins_with_what_waits(api: Any) -> None:
    researcher, main = await set_up(api)
    await propose(researcher)
    await decide(main, await propose(researcher, "The sky is green."), "REJECT")
    session = await main("mutation { openSession { waitingProposals } }")
    assert session["openSession"]["waitingProposals"] == 1


@pytest.mark.feature("MOLT-87")
async def test_in_manual_reviews_only_the_user_decides(place: Any) -> None:
    at = await place(reviewing=Reviewing(mode=ReviewMode.MANUAL))
    _, main = await set_up(at.api)
    await at.api(AGENT, i={"id": "coder", "writes": "AUTO_COMMIT"})
    made = await propose(at.api.as_agent("coder"), confidence=1.0)
    assert await main.code(DECIDE, id=made["id"], decision="COMMIT") == "FORBIDDEN"
    assert (await decide(at.api, made, "COMMIT"))["status"] == "COMMITTED"


async def test_in_auto_reviews_what_is_sure_is_written(place: Any) -> None:
    at = await place(reviewing=Reviewing(mode=ReviewMode.AUTO))
    researcher, _ = await set_up(at.api)
    sure = (await researcher(REMEMBER, input={"content": TEXT, "confidence": 0.8}))["remember"]
    assert sure["operation"] == "ADD"
    await propose(researcher, "The sky is green.", confidence=0.79)


async def test_a_proposal_waits_for_some_days(place: Any) -> None:
    at = await place(reviewing=Reviewing(days=2))
    researcher, _ = await set_up(at.api)
    made = await propose(researcher)
    at.clock.move(47)
    assert await listed(at.api) == [made["id"]]
    at.clock.move(1)
    assert await listed(at.api) == []
    assert await at.api.code(DECIDE, id=made["id"], decision="COMMIT") == "NOT_FOUND"


@pytest.mark.feature("MOLT-89")
async def test_proposals_that_contradict_each_other_point_at_each_other(api: Any) -> None:
    researcher, main = await set_up(api)
    await api(AGENT, i={"id": "coder", "writes": "PROPOSE"})
    one = await propose(researcher, MARCH[0])
    two = await propose(api.as_agent("coder"), MARCH[1])
    assert two["conflictsWith"] == [{"id": one["id"], "content": MARCH[0]}]
    found = {each["id"]: each for each in (await main(LIST, status="CONFLICT"))["proposals"]}
    assert found[one["id"]]["conflictsWith"] == [{"id": two["id"], "content": MARCH[1]}]
    assert [e["channel"] for e in (await api(EVENTS, types=["ALERT"]))["events"]] == [
        "memory_conflict"
    ]
    hidden = await propose(researcher, MARCH[1], visibility="PRIVATE")
    assert hidden["status"] == "PENDING"  # for other readers it is another matter
    await decide(main, two, "REJECT")
    [left] = [p for p in (await main(LIST))["proposals"] if p["id"] == one["id"]]
    assert (left["status"], left["conflictsWith"]) == ("PENDING", [])


@pytest.mark.feature("MOLT-90")
async def test_of_two_that_contradict_each_other_the_main_agent_picks_one(api: Any) -> None:
    researcher, main = await set_up(api)
    one, two = await propose(researcher, MARCH[0]), await propose(researcher, MARCH[1])
    assert (await decide(main, two, "COMMIT"))["result"]["content"] == MARCH[1]
    await decide(main, one, "REJECT", reason="the date has moved")
    [note] = (await api(NOTES))["notes"]["nodes"]
    assert note["content"] == MARCH[1]
    assert (await api("{ conflicts { id } }"))["conflicts"] == []
    told = [e["type"] for e in (await api(EVENTS, types=["COMMIT", "REJECT"]))["events"]]
    assert told == ["COMMIT", "REJECT"]


@pytest.mark.feature("MOLT-90")
async def test_both_are_kept_in_doubt_until_the_user_says(api: Any) -> None:
    researcher, main = await set_up(api)
    one, two = await propose(researcher, MARCH[0]), await propose(researcher, MARCH[1])
    done = await decide(main, two, "COMMIT", keepBoth=True)
    assert done["status"] == "COMMITTED"
    assert await listed(api, "COMMITTED") == [two["id"], one["id"]]
    notes = (await api(NOTES))["notes"]["nodes"]
    assert sorted((n["content"], n["confidence"]) for n in notes) == [
        (MARCH[0], 0.3),
        (MARCH[1], 0.3),
    ]
    [conflict] = (await api("{ conflicts { id notes { id } } }"))["conflicts"]
    settle = """mutation R($id: ID!, $keep: ID) { resolveConflict(id: $id, verdict: CONTRADICTORY,
      keep: $keep) { open } }"""
    keep = done["result"]["id"]
    assert (await api(settle, id=conflict["id"], keep=keep))["resolveConflict"] == {"open": False}


async def test_many_deciders_make_one_note(api: Any) -> None:
    researcher, main = await set_up(api)
    made = await propose(researcher)
    decisions = ("COMMIT", "REJECT") * 4
    answers = await asyncio.gather(
        *(
            (api if i % 3 else main).post(DECIDE, id=made["id"], decision=each)
            for i, each in enumerate(decisions)
        )
    )
    done = [a["data"]["decideProposal"]["status"] for a in answers if not a.get("errors")]
    codes = {e["extensions"]["code"] for a in answers for e in a.get("errors") or ()}
    assert len(done) == 1
    assert codes == {"CONFLICT"}
    count = (await api(NOTES))["notes"]["totalCount"]
    assert count == (1 if done == ["COMMITTED"] else 0)


async def test_a_decision_and_its_note_are_one(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    researcher, _ = await set_up(api)
    made = await propose(researcher)
    became = store.link_result_step
    monkeypatch.setattr(store, "link_result_step", lambda _, note: became("nothing", note))
    assert await api.code(DECIDE, id=made["id"], decision="COMMIT") == "CONFLICT"
    assert (await api(NOTES))["notes"]["totalCount"] == 0
    assert await listed(api, "PENDING") == [made["id"]]


async def test_a_repeated_request_proposes_once(api: Any) -> None:
    researcher, _ = await set_up(api)
    one, two = [await propose(researcher, idempotencyKey="a") for _ in range(2)]
    assert one["id"] == two["id"]
    other = {"content": "Something else.", "idempotencyKey": "a"}
    assert await researcher.code(REMEMBER, input=other) == "CONFLICT"


async def test_proposals_at_the_same_time_know_of_each_other(api: Any) -> None:
    researcher, _ = await set_up(api)
    await asyncio.gather(*(propose(researcher, text) for text in MARCH))
    assert len(await listed(api, "CONFLICT")) == 2


async def test_of_a_purged_note_no_proposal_is_left(api: Any) -> None:
    researcher, _ = await set_up(api)
    done = await decide(api, await propose(researcher), "COMMIT")
    forget = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
    await api(forget, id=done["result"]["id"])
    assert await listed(api) == []


async def test_an_agent_makes_so_many_proposals_only(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.services.proposals.proposing.MAX_MADE", 1)
    researcher, _ = await set_up(api)
    await decide(api, await propose(researcher), "REJECT")
    assert await researcher.code(REMEMBER, input={"content": "More."}) == "FORBIDDEN"


async def test_a_command_is_proposed_and_nothing_is_detected(api: Any) -> None:
    researcher, _ = await set_up(api)
    command = "mutation C($text: String!) { command(text: $text) { intent message note { id } } }"
    asked = (await researcher(command, text=f"Remember that {TEXT}"))["command"]
    assert (asked["intent"], asked["note"]) == ("REMEMBER", None)
    assert asked["message"].startswith("Proposed.")
    await researcher(command, text="I live in Hamburg and my sister is called Ada.")
    assert len(await listed(api)) == 1
