"""What agents do with MCP beside notes: sessions, their status, memories of their own, the workflow
that the examples tell, and progress."""

import asyncio
import json
import re
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from clients import Client
from mcp_clients import code, over_http, told

from graphmem.app import create_app
from graphmem.mcp.offers import OFFERS
from graphmem.mcp.progress import reporting_progress
from graphmem.services.context import Context
from graphmem.settings import Settings

KEPT = "query Q($id: ID) { note(id: $id) { visibility expiresAt } }"


@pytest.fixture
def app(settings: Settings, context: Context) -> Any:
    return create_app(settings, opened=context)


def named(api: Client, agent: str | None = None) -> dict[str, str]:
    """The headers of a user or an agent."""
    return {"X-Graphmem-User": api.user} | ({"X-Graphmem-Agent": agent} if agent else {})


async def test_an_agent_at_work_tells_of_itself_and_opens_sessions(app: Any, api: Client) -> None:
    async with over_http(app, "memory", named(api, "coder")) as client:
        opened = await told(client, "memory.open_session", task="Repair the relay")
        given = {"content": "The relay trips at 900 degrees.", "session_id": opened["session_id"]}
        made = await told(client, "memory.write", **given)
        assert made["assigned_visibility"] == "local"
        closed = await told(client, "memory.close_session", session_id=opened["session_id"])
        assert closed["closed_at"]
        assert (closed["task"], closed["dropped"]) == ("Repair the relay", 0)
        found = await told(client, "memory.list")
        assert [each["visibility"] for each in found["results"]] == ["scoped"]
        assert await code(client, "memory.close_session", session_id="none") == "NOT_FOUND"
    async with over_http(app, "orchestrator", named(api, "coder")) as client:
        reported = {"status": "working", "current_task": "Repair the relay"}
        told_of = await told(client, "agent.report_status", **reported)
        assert told_of == {"agent_id": "coder", **reported}
        (agent,) = (await told(client, "agent.status"))["agents"]
        assert (agent["status"], agent["current_task"]) == ("working", "Repair the relay")
    async with over_http(app, "orchestrator", named(api)) as client:
        assert await code(client, "agent.report_status", status="idle") == "FORBIDDEN"


@pytest.mark.feature("MUMA-99", "MUMA-100", "MUMA-101")
async def test_a_task_and_its_notes_go_to_another_agent(app: Any, api: Client) -> None:
    make = """mutation M($id: ID!, $d: [String!]!, $r: AgentRole!) {
      registerAgent(input: {id: $id, domains: $d, role: $r}) { id } }"""
    await api(make, id="lead", d=["work"], r="ORCHESTRATOR")
    await api(make, id="sales", d=["sales"], r="WORKER")
    said = {"domain": "work/kiln", "visibility": "SCOPED"}
    note = (await api.as_agent("lead").remember("The relay trips at 900 degrees.", **said))["note"]
    async with over_http(app, "orchestrator", named(api)) as client:
        given = {"from_agent_id": "lead", "to_agent_id": "sales", "context_summary": "Repair it."}
        notes = {"memory_ids_to_transfer": [note["id"]]}
        handed = await told(client, "agent.handoff", **given, **notes, user_id=api.user)
        assert await code(client, "agent.handoff", **given, **notes, user_id="x") == "FORBIDDEN"
    [waiting] = (await api.as_agent("sales")("{ handoffs { id from { id } notes { id } } }"))[
        "handoffs"
    ]
    assert waiting == {
        "id": handed["handoff_id"],
        "from": {"id": "lead"},
        "notes": [{"id": note["id"]}],
    }
    async with over_http(app, "orchestrator", named(api, "lead")) as client:
        other = {**given, **notes, "from_agent_id": "sales"}
        assert await code(client, "agent.handoff", **other) == "FORBIDDEN"
        made = await told(client, "agent.spawn", role="worker", initial_memory_ids=[note["id"]])
        listed = (await told(client, "agent.status", user_id=api.user))["agents"]
    assert made["agent_id"] in {each["agent_id"] for each in listed}
    lent = await api.as_agent(made["agent_id"]).recall("At how many degrees does the relay trip?")
    assert [hit["note"]["id"] for hit in lent] == [note["id"]]


@pytest.mark.feature("MOLT-83", "MUMA-55")
async def test_models_review_proposals_and_ask_those_who_know(
    app: Any, api: Client, new_user: Any
) -> None:
    setting = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
    await api(setting, i={"id": "shy", "writes": "PROPOSE"})
    await api(setting, i={"id": "main", "role": "ASSISTANT"})
    await api.as_agent("shy").remember("The kiln relay trips at 900 degrees.", domain="kiln")
    async with over_http(app, "orchestrator", named(api, "main")) as client:
        (waits,) = (await told(client, "agent.list_proposals", status="pending"))["proposals"]
        assert (waits["kind"], waits["from_agent_id"], waits["domain"]) == ("write", "shy", "kiln")
        one = {"proposal_id": waits["proposal_id"]}
        done = await told(client, "agent.decide_proposal", **one, decision="commit")
        assert done["status"] == "committed"
        assert await code(client, "agent.decide_proposal", **one, decision="reject") == "CONFLICT"
    team, bo = new_user(), api.as_user(new_user())
    teams = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
    await api(teams, id=team, of=[api.user, bo.user])
    await api('mutation S($t: ID!) { shareDomain(domain: "kiln", team: $t) { id } }', t=team)
    async with over_http(app, "commons", named(bo, "helper")) as client:
        found = await told(client, "commons.consult", question="When does the kiln relay trip?")
        assert (found["expert_user_id"], found["expert_agent_id"]) == (api.user, "shy")
        assert [each["note_id"] for each in found["results"]] == [done["result_id"]]
        given = {"recall_id": found["recall_id"], "note_id": done["result_id"]}
        kept = await told(client, "commons.keep_finding", **given)
        assert (kept["domain"], kept["note_id"] != done["result_id"]) == ("kiln", True)


@pytest.mark.feature("DAEM-16")
async def test_the_memory_daemon_s_calls_answer_as_its_routes(
    settings: Settings, context: Context, api: Client
) -> None:
    numbers = settings.mcp.__class__(max_results=2, min_score=-1.0, default_ttl=90)
    changed = settings.model_copy(update={"mcp": numbers})
    app = create_app(changed, opened=context)
    texts = [f"The bell of tower {i} is cracked." for i in range(3)]
    async with over_http(app, "memory", named(api, "one")) as client:
        made = [await told(client, "memory.remember", text=text, tags=["bell"]) for text in texts]
        assert made[0]["success"] is True
        assert (made[0]["text"], made[0]["tags"]) == (texts[0], ["bell"])
        note = (await api(KEPT, id=made[0]["id"]))["note"]
        assert note["visibility"] == "PRIVATE"
        assert note["expiresAt"] is not None
        found = await told(client, "memory.recall", query=texts[2])
        assert (found["count"], found["results"][0]["text"]) == (2, texts[2])
        status = await told(client, "memory.status")
        headers = named(api, "one")
        routed = await api.http.get(
            "/recall", params={"agentId": "one", "query": texts[2], "limit": 2}, headers=headers
        )
        same = [(each["id"], each["text"], each["tags"]) for each in routed.json()["results"]]
        assert same == [(each["id"], each["text"], each["tags"]) for each in found["results"]]
        assert (await api.http.get("/status", headers=headers)).json() == status
        assert await told(client, "memory.forget", note_id=made[2]["id"]) == {
            "success": True,
            "message": "memory forgotten",
        }
        assert (await told(client, "memory.recall", query=texts[2]))["results"][0]["text"] != texts[
            2
        ]
        assert await code(client, "memory.remember", text="") == "BAD_USER_INPUT"
    async with over_http(app, "memory", named(api, "other")) as client:
        assert (await told(client, "memory.recall", query=texts[0]))["results"] == []
    async with over_http(app, "memory", named(api)) as client:
        assert await code(client, "memory.recall", query=texts[0]) == "FORBIDDEN"


@pytest.mark.feature("DAEM-14")
async def test_a_search_by_similarity_has_numbers_of_its_own(app: Any, api: Client) -> None:
    for i in range(8):
        await api.remember(f"The copper door of room {i} squeaks.", mode="VERBATIM")
    await api.remember("Fish swim in the river.", mode="VERBATIM")
    async with over_http(app, "memory", named(api)) as client:
        found = await told(client, "memory_search", query="The copper door of room 1 squeaks.")
        assert len(found["results"]) == 6
        assert all(each["relevance_score"] >= 0.5 for each in found["results"])
        nothing = await told(client, "memory_search", query="The moon is far away.")
        assert nothing["results"] == []


async def test_progress_is_told_to_who_asked_for_it() -> None:
    told_of: list[tuple[float, float | None, str | None]] = []

    class Session:
        async def report_progress(self, *given: Any) -> None:
            told_of.append(given)  # pyright: ignore[reportArgumentType]

    asked: Any = SimpleNamespace(meta={"progress_token": 0}, session=Session())
    async with reporting_progress(asked, "Tidy up", 30.0):
        await asyncio.sleep(0)
    assert told_of == [(0.0, 30.0, "Tidy up goes on")]
    async with reporting_progress(SimpleNamespace(meta=None, session=Session()), "x", 1.0):  # pyright: ignore[reportArgumentType]
        await asyncio.sleep(0)
    assert len(told_of) == 1


@pytest.mark.feature("DAEM-20")
async def test_every_call_of_the_workflow_works(app: Any, api: Client) -> None:
    page = Path(__file__).parents[2] / "examples" / "AGENT_WORKFLOW.md"
    calls = re.findall(r"^```json\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(calls) > 10
    kept: dict[str, str] = {}
    headers = named(api, "mechanic")
    async with AsyncExitStack() as stack:
        opened = {e: await stack.enter_async_context(over_http(app, e, headers)) for e in OFFERS}
        where = {tool.name: opened[e] for e, tools in OFFERS.items() for tool in tools}
        for text in calls:
            for name, value in kept.items():
                text = text.replace(f"{{{name}}}", value)
            call = json.loads(text)
            answer = await told(where[call["tool"]], call["tool"], **call["arguments"])
            if "keep" in call:
                kept[call["keep"]] = answer[call["keep"]]
    assert kept.keys() == {"session_id", "recall_id", "note_id"}
    notes = (await api("{ notes(first: 50) { nodes { content } } }"))["notes"]["nodes"]
    contents = {note["content"] for note in notes}
    assert "Ada Kessler wants the kiln relay repaired before 8 May 2026." in contents
    assert "The kiln relay trips at 900 degrees." in contents
