"""What a viewer may not read changes no byte of an answer by REST: each resource that reads is
asked before and after hidden notes appear that say the same, about the same things."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from rest import Rest

from graphmem.domain.fields import fields_of
from graphmem.rest.endpoints import ENDPOINTS, Endpoint

TEXTS = [
    "Dara Osei leads the Harbour project.",
    "Dara Osei works from Lisbon and is away in August.",
    "Bo Lindqvist repaired the kiln relay for Harbour.",
]
NEARER = ["Who leads Harbour?", "kiln relay", *TEXTS]
READING = [
    endpoint
    for endpoint in ENDPOINTS
    if (endpoint.lines or not endpoint.streams)
    and endpoint.name
    not in ("listJobs", "listJobRuns", "getHealth")  # of everybody: other tests run jobs, too
    and (endpoint.method == "GET" or endpoint.name in ("recall", "makeContext"))
]
GIVEN: dict[str, dict[str, Any]] = {
    "task": {"task": "kiln relay of Harbour"},
    "query": {"query": "Who leads Harbour?"},
    "topic": {"topic": "Harbour"},
    "from": {"from": "Dara Osei", "to": "Harbour"},
    "domain": {"domain": "general"},
    "team": {"team": "nobody-has-this-team"},
}
# What a request makes anew: its own id and how long it took.
FRESH = re.compile(
    rb'"(id|recallId)":"[0-9a-f-]{36}"(?=,"(hits|text|confidence|suggestedScope))'
    rb'|"recallId":"[0-9a-f-]{36}"|"tookMs":[0-9.e-]+'
)


def asked_of(endpoint: Endpoint, note: str) -> dict[str, Any]:
    """What is given to an endpoint."""
    if endpoint.name in ("getNote", "findNote"):
        return {"id": note}
    if endpoint.name == "getEntity":
        return {"id": "nobody"}
    required = [field.wire for field in fields_of(endpoint.command) if field.required]
    given = {k: v for name in required for k, v in GIVEN.get(name, {}).items()}
    return given | ({"agentId": "narrow"} if "agentId" in required else {})


async def answers(rest: Rest, note: str, hidden: list[str]) -> dict[str, bytes]:
    """The bytes of every answer, by the endpoint."""
    found = {}
    for endpoint in READING:
        asked = asked_of(endpoint, note)
        if endpoint.has_body:
            asked |= {"track": False} if endpoint.name == "recall" else {}
        answer = await rest.ask(endpoint, **asked)
        shown = [f"{k}: {v}" for k, v in answer.headers.items() if k in ("link", "etag")]
        told = FRESH.sub(b"", answer.content)
        found[endpoint.name] = b"%d %s %s" % (answer.status_code, str(shown).encode(), told)
    for i, each in enumerate(hidden):
        answer = await rest("GET", f"/v1/notes/{each}")
        found[f"hidden {i}"] = answer.content
        answer = await rest("PATCH", f"/v1/notes/{each}", {"title": "x"})
        found[f"hidden {i} revised"] = answer.content
        answer = await rest("DELETE", f"/forget/{each}")
        found[f"hidden {i} forgotten"] = answer.content
    return found


@pytest.mark.parametrize("agent", ["narrow", None])
async def test_hidden_notes_change_no_byte(place: Callable[..., Any], agent: str | None):
    opened = await place()
    person = Rest(opened.api.http, opened.api.user)
    await person("PUT", "/v1/agents/narrow", {"domains": ["work"]})
    await person("PUT", "/v1/agents/other", {"domains": ["*"]})
    viewer = person.as_agent(agent) if agent else person
    stranger = Rest(person.http, f"{person.user}-else")
    made = []
    for i, text in enumerate(TEXTS):
        body = {"content": text, "externalId": f"n{i}", "domain": "work", "visibility": "OPEN"}
        answer = await viewer("POST", "/v1/remember", {**body, "mode": "VERBATIM"})
        made.append(answer.json()["noteId"])
    nowhere = ["01920000-0000-7000-8000-000000000000"] * 2
    before = await answers(viewer, made[0], nowhere)
    writer = person if agent else stranger
    hidden = []
    for i, text in enumerate(NEARER * 4):
        body = {"content": text, "externalId": f"n{i}", "domain": "vault", "mode": "VERBATIM"}
        body["visibility"] = ("USER_ONLY", "PRIVATE")[i % 2]
        for by in {writer, stranger}:
            hidden.append((await by("POST", "/v1/remember", body)).json()["noteId"])
    after = await answers(viewer, made[0], hidden[:2])
    assert before.keys() == after.keys()
    for name, told in before.items():
        assert after[name] == told, name
    assert b"200" in before["recall"]
    assert b"Harbour" in before["recall"]
    assert before["exportMemory"].count(b'"record": "note"') == len(TEXTS)
