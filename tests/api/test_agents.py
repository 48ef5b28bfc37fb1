"""What agents tell of their work."""

from typing import Any

import pytest

REPORT = """mutation R($status: String!, $task: String) {
  reportStatus(status: $status, currentTask: $task) { id status currentTask lastActiveAt } }"""
AGENTS = "{ agents { id role status currentTask lastActiveAt noteCount } }"
EVENTS = "query E($id: ID) { events(subjectId: $id) { summary channel actor } }"


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
