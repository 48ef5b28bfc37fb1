"""Relations that the model reads in a note, whose ends are things without a name, through the API:
each reader sees those of the notes that it may read."""

import json
import warnings
from dataclasses import replace
from typing import Any

import httpx
import pytest
from clients import Client

from graphmem.ai.extractor import load_extractor, open_extractor
from graphmem.app import create_app

WRITE = "mutation W($i: RememberInput!) { remember(input: $i) { note { id } } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
LOOK = """query L($n: String!) {
  entity(name: $n) { name type relations { predicate object { name } } }
  entities { name type }
}"""


@pytest.mark.feature("MUMA-109", "MUMA-26")
async def test_a_thing_of_a_private_note_is_shown_to_its_owner_alone(
    context: Any, settings: Any, api: Any
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, at import
        load_extractor("spacy")
    opened = replace(context, extractor=open_extractor("spacy"))
    transport = httpx.ASGITransport(app=create_app(settings, opened=opened))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as http:
        owner = Client(http, api.user)
        await owner(AGENT, i={"id": "narrow"})
        agent = owner.as_agent("narrow")
        await owner(WRITE, i={"content": "Seren designs the labels.", "visibility": "OPEN"})
        before = await agent(LOOK, n="Seren")
        hidden = {"content": "Seren runs the till.", "visibility": "PRIVATE"}
        await owner(WRITE, i=hidden)
        after = await agent(LOOK, n="Seren")
        whole = await owner(LOOK, n="Seren")
    assert json.dumps(after) == json.dumps(before)
    assert [r["object"]["name"] for r in after["entity"]["relations"]] == ["labels"]
    assert {r["object"]["name"] for r in whole["entity"]["relations"]} == {"labels", "till"}
