"""Through MCP, too, an answer is the same whether or not there are notes that may not be read."""

from dataclasses import replace
from typing import Any

import pytest
from clients import Client
from mcp.shared.exceptions import MCPError
from mcp_clients import over_http
from mcp_types import PromptReference, ResourceTemplateReference

from graphmem.app import create_app
from graphmem.mcp.offers import OFFERS
from graphmem.services.context import Context
from graphmem.services.tracking import RecallLog
from graphmem.settings import Settings

READABLE = (
    "Ada Kessler repaired the kiln relay for Halden.",
    "Bo Lindqvist paid for the copper roof of Orchard Street.",
    "Halden needs a new kiln relay in May.",
)
HIDDEN = (
    "Ada Kessler hid the ZEBULON key behind the kiln relay of Halden.",
    "ZEBULON pays for the copper roof of Orchard Street.",
    "Ada Kessler works at ZEBULON.",
)
READS: dict[str, tuple[dict[str, Any], ...]] = {
    "memory.query": (
        {"query_text": "Who repaired the kiln relay?"},
        {"query_text": "ZEBULON"},
        {"query_text": "copper roof", "token_budget": 300},
        {"query_text": "copper roof", "token_budget": 300, "cursor": "1"},
    ),
    "memory_search": ({"query": READABLE[0]}, {"query": HIDDEN[0], "min_score": -1.0}),
    "memory.get_context": ({"task_description": "Repair the kiln relay for ZEBULON"},),
    "memory.get": ({"note_id": "readable"}, {"note_id": "hidden"}),
    "memory.list": ({}, {"token_budget": 300}, {"entity": "ZEBULON"}, {"domain": "work"}),
    "memory.entity": ({"name": "Ada Kessler"}, {"name": "ZEBULON"}),
    "memory.core": ({},),
    "memory.history": ({}, {"note_id": "hidden"}),
    "memory.stats": ({},),
    "memory.reflections": ({},),
    "memory.recall": ({"query": "ZEBULON", "min_score": -1.0},),
    "memory.status": ({},),
    "agent.status": ({},),
    "commons.query": ({"topic": "ZEBULON"}, {"topic": "kiln relay", "domain": "work"}),
    "agent.list_proposals": ({}, {"status": "pending"}),
    "agent.route": ({"task_description": READABLE[0]}, {"task_description": HIDDEN[0]}),
    "memory.search_agents": ({"topic": "kiln relay"}, {"topic": "ZEBULON"}),
    "commons.who_knows": ({"topic": "kiln relay"}, {"topic": "ZEBULON"}),
    "commons.consult": ({"question": "Who repaired the kiln relay?"}, {"question": "ZEBULON?"}),
    "commons.find_skills": ({}, {"search": "ZEBULON"}),
    "commons.get_sop": ({"domain": "work"},),
    "commons.board": ({}, {"prefix": "ZEBULON"}),
    "agent.handoffs": ({},),
}
TRIES: dict[str, dict[str, Any]] = {  # of what may not be read; they change nothing
    "memory.revise": {"note_id": "hidden", "content": "x"},
    "memory.forget": {"note_id": "hidden"},
    "memory.restore": {"note_id": "hidden"},
    "memory.revert": {"note_id": "hidden", "version": 1},
    "agent.end_handoff": {"handoff_id": "hidden"},
    "commons.post_board": {"key": "ZEBULON", "value": "x"},
    "commons.remove_from_board": {"key": "ZEBULON"},
    "memory.pin": {"note_id": "hidden"},
    "memory.set_visibility": {"note_id": "hidden", "visibility": "open"},
    "memory.link": {"source_id": "readable", "target_id": "hidden", "relationship_label": "x"},
    "agent.handoff": {
        "to_agent_id": "peer",
        "context_summary": "x",
        "memory_ids_to_transfer": ["hidden"],
    },
    "agent.spawn": {"role": "worker", "initial_memory_ids": ["hidden"]},
    "commons.propose_knowledge": {"source_note_id": "hidden"},
    "commons.keep_finding": {"recall_id": "hidden", "note_id": "hidden"},
    "agent.decide_proposal": {"proposal_id": "hidden", "decision": "commit"},
    "commons.report_skill": {"skill_id": "hidden", "success": True},
}
WRITES = {"memory.write", "memory.feedback", "memory.consolidate", "memory.reflect"}
WRITES |= {"memory.remember", "memory.open_session", "memory.close_session"}
WRITES |= {
    "agent.report_status",
    "commons.add_skill",
    "memory.set_core",
}  # what these answer is compared by the world of noninterference


@pytest.fixture
def still(context: Context) -> Context:
    """The service at one instant, which counts no recall."""
    now = context.clock()
    return replace(context, clock=lambda: now, log=RecallLog(context.graph))


def test_every_tool_is_asked() -> None:
    assert {tool.name for tools in OFFERS.values() for tool in tools} == {*READS, *TRIES, *WRITES}


async def test_hidden_notes_change_no_answer(
    settings: Settings, still: Context, api: Client
) -> None:
    app = create_app(settings, opened=still)
    one = (await api.remember(READABLE[0], domain="work", mode="VERBATIM"))["note"]["id"]
    for text in READABLE[1:]:
        await api.remember(text, domain="work", mode="VERBATIM")
    ids = {"readable": one, "hidden": "01a00000-0000-7000-8000-000000000000"}
    headers = {"X-Graphmem-User": api.user, "X-Graphmem-Agent": "narrow"}
    before = await _everything(app, headers, ids)
    other = api.as_user(f"{api.user}-x")
    hidden = []
    for text in HIDDEN:
        await api.as_agent("peer").remember(text, domain="work", visibility="PRIVATE")
        made = await api.remember(text, domain="work", visibility="USER_ONLY", mode="VERBATIM")
        hidden.append(made["note"]["id"])
        await other.remember(text, domain="work", visibility="OPEN")
    after = await _everything(app, headers, ids | {"hidden": hidden[0]})
    for name in ("agent.status 0", "agents"):  # peer asked meanwhile
        assert after.pop(name).count("agent_id") == 1 + before.pop(name).count("agent_id")
    assert before == after
    assert "ZEBULON" not in "".join(answer for call, answer in after.items() if call != "brief_me")


async def _everything(app: Any, headers: dict[str, str], ids: dict[str, str]) -> dict[str, str]:
    """What each tool, resource, prompt and completion answers, but ids that are new each time."""
    told: dict[str, str] = {}
    for endpoint, tools in OFFERS.items():
        async with over_http(app, endpoint, headers) as client:
            for name in (tool.name for tool in tools):
                asked = READS.get(name) or ((TRIES[name],) if name in TRIES else ())
                for place, given in enumerate(asked):
                    named = {
                        key: ids.get(value, value) if isinstance(value, str) else value
                        for key, value in given.items()
                    }
                    answer = await client.call_tool(name, named)
                    shown = answer.structured_content or {"error": answer.meta}
                    shown.pop("recall_id", None)
                    texts = repr(answer.content) if answer.is_error else ""
                    told[f"{name} {place}"] = repr(shown) + texts
    for uri, endpoint in (("agents", "orchestrator"), ("skills", "commons"), ("sop/x", "commons")):
        async with over_http(app, endpoint, headers) as client:
            told[uri] = await _read(client, uri)
    async with over_http(app, "commons", headers) as client:
        followed = await client.get_prompt("follow_procedure", {"task": "ZEBULON"})
        told["follow_procedure"] = repr(followed.messages[1].content)
        domains = ResourceTemplateReference(uri="graphmem://sop/{domain}")
        found = await client.complete(domains, {"name": "domain", "value": ""})
        told["complete domain"] = repr(found.completion)
    async with over_http(app, "memory", headers) as client:
        for uri in (
            "core",
            f"note/{ids['readable']}",
            f"note/{ids['hidden']}",
            "entity/Ada%20Kessler",
            "entity/ZEBULON",
        ):
            told[uri.replace(ids["hidden"], "hidden")] = await _read(client, uri)
        for name, given in (
            ("brief_me", {"topic": "ZEBULON"}),
            ("reflect", {}),
            ("hand_over", {"task": "kiln relay"}),
        ):
            got = await client.get_prompt(name, given)
            told[name] = repr([each.content for each in got.messages])
        template = ResourceTemplateReference(uri="graphmem://entity/{name}")
        for ref, argument in ((template, "name"), (PromptReference(name="brief_me"), "topic")):
            found = await client.complete(ref, {"name": argument, "value": ""})
            told[f"complete {argument}"] = repr(found.completion)
    return told


async def _read(client: Any, uri: str) -> str:
    """The text of a resource, or the error."""
    try:
        return (await client.read_resource(f"graphmem://{uri}")).contents[0].text
    except MCPError as error:
        return error.message
