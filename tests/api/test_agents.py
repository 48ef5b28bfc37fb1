"""What agents tell of their work."""

from typing import Any

import pytest
from rest import Rest

REPORT = """mutation R($status: String!, $task: String) {
  reportStatus(status: $status, currentTask: $task) { id status currentTask lastActiveAt } }"""
AGENTS = "{ agents { id role status currentTask lastActiveAt noteCount } }"
EVENTS = "query E($id: ID) { events(subjectId: $id) { summary channel actor } }"
PROFILE = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
DEFAULT = "{ defaultAgentMemory { domains canSeePrivate } }"
SET = """mutation S($domains: [String!]!, $canSeePrivate: Boolean) {
  setDefaultAgentMemory(domains: $domains, canSeePrivate: $canSeePrivate) {
    domains canSeePrivate } }"""
REVISE = 'mutation R($id: ID!) { revise(id: $id, title: "Mine") { id } }'
NOTES = "{ notes(first: 50) { nodes { id } } }"


async def read_by(client: Any) -> set[str]:
    """The notes that a viewer is shown."""
    return {node["id"] for node in (await client(NOTES))["notes"]["nodes"]}


@pytest.mark.feature("MUMA-101")
async def test_a_reported_task_shows(place: Any) -> None:
    at = await place()
    coding, sales = at.api.as_agent("coding"), at.api.as_agent("sales")
    told = (await coding(REPORT, status="working", task="Repair the relay"))["reportStatus"]
    assert told == {
        "id": "coding",
        "status": "working",
        "currentTask": "Repair the relay",
        "lastActiveAt": "2026-03-01T12:00:00Z",
    }
    for reader in (at.api, coding, sales):
        agents = {each["id"]: each for each in (await reader(AGENTS))["agents"]}
        assert agents["coding"] | {"role": "WORKER", "noteCount": 0} == agents["coding"] | told
    assert (await sales(AGENTS))["agents"][1]["status"] == "idle"
    at.clock.move(2)
    told = (await coding(REPORT, status="idle"))["reportStatus"]
    assert (told["currentTask"], told["lastActiveAt"]) == (None, "2026-03-01T14:00:00Z")


async def test_the_last_activity_tells_nothing_of_hidden_notes(place: Any) -> None:
    at = await place()
    coding, sales = at.api.as_agent("coding"), at.api.as_agent("sales")
    await sales(AGENTS)
    await coding.remember("My scratch pad.", visibility="PRIVATE")
    seen = {reader: (await reader(AGENTS))["agents"][0] for reader in (at.api, coding, sales)}
    assert [each["noteCount"] for each in seen.values()] == [1, 1, 0]
    times = [each["lastActiveAt"] for each in seen.values()]
    assert times == ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", None]


async def test_only_an_agent_reports_and_only_of_itself(api: Any, new_user: Any) -> None:
    assert await api.code(REPORT, status="working") == "FORBIDDEN"
    desk = api.as_agent("desk")
    assert await desk.code(REPORT, status="") == "BAD_USER_INPUT"
    assert await desk.code(REPORT, status="a" * 101) == "BAD_USER_INPUT"
    assert await desk.code(REPORT, status="a", task="b" * 1001) == "BAD_USER_INPUT"
    other = api.as_user(new_user()).as_agent("desk")
    await other(REPORT, status="working", task="Elsewhere")
    assert (await api(AGENTS))["agents"][0]["currentTask"] is None


async def test_an_agent_that_loops_writes_one_event_for_a_status(api: Any) -> None:
    desk = api.as_agent("desk")
    for _ in range(5):
        await desk(REPORT, status="working", task="The same")
    told = (await api(EVENTS, id="desk"))["events"]
    assert [event["summary"] for event in told] == ["agent desk reported its status"]
    assert (await desk(EVENTS, id="desk"))["events"] == []


async def test_a_narrowed_agent_reads_again_what_nothing_places(api: Any) -> None:
    given = {"id": "desk", "domains": ["business/sales", "home"]}
    await api("mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }", i=given)
    desk = api.as_agent("desk")
    for content in ("The blue one stands on the left.", "A verse, as it was said."):
        mode = {"mode": "VERBATIM"} if content.startswith("A verse") else {}
        made = await desk.remember(content, visibility="SCOPED", **mode)
        assert made["note"]["domain"] == "business/sales"
        assert content in [note["note"]["content"] for note in await desk.recall(content)]
    assert (await api.remember("The red one stands on the right."))["note"]["domain"] == "general"


@pytest.mark.feature("MUMA-36")
async def test_the_user_sets_what_agents_without_a_profile_may_read(api: Any) -> None:
    bot, own = api.as_agent("bot"), api.as_agent("own")
    await api(PROFILE, i={"id": "own", "domains": ["*"], "canSeePrivate": False})
    home = (await api.remember("A kiln.", domain="home"))["note"]["id"]
    work = (await api.remember("A lathe.", domain="work"))["note"]["id"]
    kept = (await own.remember("A press.", domain="work", visibility="PRIVATE"))["note"]["id"]
    every = {"domains": ["*"], "canSeePrivate": False}
    assert (await api(DEFAULT))["defaultAgentMemory"] == every
    assert await read_by(bot) == {home, work}
    given = {"domains": ["work", "work"], "canSeePrivate": True}
    narrow = {"domains": ["work"], "canSeePrivate": True}
    assert (await api(SET, **given))["setDefaultAgentMemory"] == narrow
    assert (await api(DEFAULT))["defaultAgentMemory"] == narrow
    assert await read_by(bot) == {work, kept}
    assert await read_by(own) == {home, work, kept}, "who has a profile keeps it"
    assert (await bot.code(REVISE, id=home)) == "NOT_FOUND"
    told = (await api(EVENTS))["events"]
    assert [each["summary"] for each in told if each["channel"] == "state_change"][-1] == (
        "agent profile of others set"
    )
    await api(SET, domains=["home"])  # what is left out is not private
    assert (await api(DEFAULT))["defaultAgentMemory"] == {
        "domains": ["home"],
        "canSeePrivate": False,
    }
    assert await read_by(bot) == {home}


async def test_no_agent_learns_or_sets_what_others_may_read(api: Any, new_user: Any) -> None:
    await api(SET, domains=["work"])
    await api(PROFILE, i={"id": "lead", "role": "ORCHESTRATOR", "canSeePrivate": True})
    for agent in ("bot", "lead"):
        assert await api.as_agent(agent).code(DEFAULT) == "FORBIDDEN"
        assert await api.as_agent(agent).code(SET, domains=["*"]) == "FORBIDDEN"
    for odd in ([], ["a//b"], [""], ["x" * 2_000], [f"d{i}" for i in range(201)]):
        assert await api.code(SET, domains=odd) == "BAD_USER_INPUT"
    assert (await api(DEFAULT))["defaultAgentMemory"]["domains"] == ["work"]
    other = api.as_user(new_user())
    assert (await other(DEFAULT))["defaultAgentMemory"]["domains"] == ["*"]
    rest, path = Rest(api.http, api.user), "/v1/agent-memory/default"
    answer = await rest("PUT", path, {"domains": ["home"]})
    assert answer.json() == {"domains": ["home"], "canSeePrivate": False}
    assert (await rest("GET", path)).json() == answer.json()
    refused = [
        await rest("PUT", path, {"canSeePrivate": True}),
        await rest("PUT", path, {"domains": "home"}),
        await rest.as_agent("bot")("PUT", path, {"domains": ["*"]}),
        await rest.as_agent("bot")("GET", path),
    ]
    assert [each.status_code for each in refused] == [400, 400, 403, 403]
    assert (await rest("GET", path)).json() == answer.json()
