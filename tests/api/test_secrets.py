"""No way of writing leaves a secret in the graph, and the answer tells what was done."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from clients import Client
from made_secrets import Maker, kinds
from mcp_clients import over_http, told
from named_nodes import named
from rest import Rest

from graphmem.app import create_app
from graphmem.client.secrets import CUT, Secret, find_secrets
from graphmem.domain.writing import Secrets
from graphmem.services.context import Context
from graphmem.services.importing.importing import Imported, import_folder
from graphmem.services.writing import secrets as writing_secrets
from graphmem.settings import Settings

SAID = "{ operation noteId note { id content visibility } secrets { kind action } }"
REMEMBER = f"mutation R($i: RememberInput!) {{ remember(input: $i) {SAID} }}"
MANY = """mutation M($n: [RememberInput!]!) { rememberMany(input: {notes: $n}) { results {
  note { content } secrets { kind action } error { code message } } } }"""
REVISE = """mutation R($id: ID!, $c: String) { revise(id: $id, content: $c) {
  content visibility } }"""
PREVIEW = """query P($n: RememberInput!) { previewRemember(note: $n) {
  read { content } secrets { kind } } }"""
COMMAND = "mutation C($t: String!) { command(text: $t) { message note { content } } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
PROPOSE = """mutation P($i: RememberInput!) { remember(input: $i) { operation
  proposal { id content } secrets { action } } }"""
DECIDE = """mutation D($id: ID!, $c: String!) { decideProposal(id: $id, decision: COMMIT,
  changes: {content: $c}) { status result { content } } }"""
OPEN = "mutation S($t: String) { openSession(task: $t) { id task } }"
LINK = """mutation L($a: ID!, $b: ID!, $w: String!) {
  link(source: $a, target: $b, kind: "about", reason: $w) { reason } }"""
STATUS = 'mutation T($t: String) { reportStatus(status: "busy", currentTask: $t) { currentTask } }'
SEARCH = "query S($t: String!) { notes(filter: {text: $t}) { totalCount } }"
REDACTED = [{"kind": "GitHub token", "action": "REDACTED"}]


@pytest.fixture
def key() -> str:
    """A secret that no other test has."""
    return kinds(Maker(uuid4().int))["GitHub"]()[1]


async def test_no_way_of_writing_leaves_a_secret(
    api: Client, http: httpx.AsyncClient, context: Context, settings: Settings, key: str
) -> None:
    note = {"content": f"The key of the kiln is {key}.", "metadata": {"key": [key]}}
    whole = {
        **note,
        "title": f"Kiln {key}",
        "tags": [key],
        "keywords": [key],
        "speaker": f"Ann {key}",
        "entities": [{"name": f"Kiln {key}", "aliases": [key]}],
        "relations": [{"subject": key, "predicate": "opens", "object": "kiln"}],
    }
    preview = (await api(PREVIEW, n=whole))["previewRemember"]
    assert (key in str(preview), preview["secrets"]) == (False, [{"kind": "GitHub token"}])
    made = (await api(REMEMBER, i=whole))["remember"]
    assert made["note"]["content"] == f"The key of the kiln is {CUT}."
    assert made["secrets"] == REDACTED
    many = (await api(MANY, n=[whole, {"content": "The kiln is blue."}]))["rememberMany"]
    assert [each["secrets"] for each in many["results"]] == [REDACTED, []]
    revised = (await api(REVISE, id=made["noteId"], c=f"Now it is {key}."))["revise"]
    assert revised["content"] == f"Now it is {CUT}."
    await api(COMMAND, t=f"Remember that the spare key is {key}")
    other = (await api(REMEMBER, i={"content": "The kiln has a door."}))["remember"]["noteId"]
    await api(LINK, a=made["noteId"], b=other, w=f"both need {key}")

    bot = api.as_agent("bot")
    session = (await bot(OPEN, t=f"use {key}"))["openSession"]
    assert session["task"] == f"use {CUT}"
    local = (await bot(REMEMBER, i={**note, "sessionId": session["id"]}))["remember"]
    assert local["secrets"] == REDACTED
    await bot(STATUS, t=f"turn {key}")
    await api(AGENT, i={"id": "careful", "writes": "PROPOSE"})
    proposed = (await api.as_agent("careful")(PROPOSE, i=note))["remember"]
    assert (proposed["operation"], proposed["secrets"]) == ("PROPOSE", [{"action": "REDACTED"}])
    decided = await api(DECIDE, id=proposed["proposal"]["id"], c=f"It is {key}, really.")
    assert decided["decideProposal"]["result"]["content"] == f"It is {CUT}, really."

    rest = Rest(http, api.user)
    for path, body in (
        ("/v1/remember", note),
        ("/v1/remember/many", {"notes": [note]}),
        ("/v1/skills", {"name": f"open {key}", "procedure": f"Use {key}."}),
        ("/remember", {"agentId": "bot", "text": note["content"], "tags": [key]}),
    ):
        answer = await rest("POST", path, body)
        assert answer.is_success, answer.text
        assert key not in answer.text
    headers = {"X-Graphmem-User": api.user, "X-Graphmem-Agent": "bot"}
    async with over_http(create_app(settings, opened=context), "memory", headers) as mcp:
        answer = await told(mcp, "memory.write", content=f"By MCP: {key}", title=key)
        assert key not in str(answer)
        assert "GitHub token" in str(answer)
    assert await named(context, key) == []


async def test_what_is_imported_holds_no_secret_and_is_unchanged_the_next_time(
    context: Context, new_user: Callable[[], str], tmp_path: Path, key: str
) -> None:
    (tmp_path / "kiln.md").write_text(f"# Kiln\n\nThe key is {key}.\n", "utf-8")
    user = new_user()
    assert await import_folder(context, user, tmp_path) == Imported(created=1)
    assert await import_folder(context, user, tmp_path) == Imported(unchanged=1)
    assert await named(context, key) == []


async def with_policy(settings: Settings, context: Context, policy: Secrets) -> Any:
    parts = replace(context, writing=replace(context.writing, secrets=policy))
    transport = httpx.ASGITransport(app=create_app(settings, opened=parts))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321", timeout=60)


async def test_a_secret_is_refused_and_nothing_is_written(
    settings: Settings, context: Context, new_user: Callable[[], str], key: str
) -> None:
    async with await with_policy(settings, context, Secrets.BLOCK) as http:
        api = Client(http, new_user())
        answer = await api.post(REMEMBER, i={"content": f"It is {key}."})
        assert answer["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
        assert "GitHub token" in answer["errors"][0]["message"]
        assert key not in str(answer)
        many = await api(MANY, n=[{"content": f"It is {key}."}, {"content": "The kiln is blue."}])
        first, second = many["rememberMany"]["results"]
        assert first["error"]["code"] == "BAD_USER_INPUT"
        assert second["note"]["content"] == "The kiln is blue."
        made = await api.remember("The kiln is old.")
        assert await api.code(REVISE, id=made["note"]["id"], c=f"It is {key}.") == "BAD_USER_INPUT"
        assert await api.code(OPEN, t=f"use {key}") == "BAD_USER_INPUT"
    assert await named(context, key) == []


SOP = 'mutation S($c: String!) { setSop(domain: "kilns", content: $c) { content } }'


async def test_long_texts_are_refused_or_looked_through_beside_the_event_loop(
    api: Client, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    threads: list[tuple[int, bool]] = []

    def find(text: str, *, sure: bool = False) -> list[Secret]:
        threads.append((len(text), threading.current_thread() is threading.main_thread()))
        return find_secrets(text, sure=sure)

    monkeypatch.setattr(writing_secrets, "find_secrets", find)
    for document, given in (
        (SOP, {"c": "kiln " * 10_001}),
        (REMEMBER, {"i": {"content": "kiln " * 10_001}}),
        (STATUS, {"t": "kiln " * 10_001}),
    ):
        assert await api.code(document, **given) == "BAD_USER_INPUT"
    assert threads == []
    long = f"{'The kiln is hot. ' * 200}The key is {key}."
    assert (await api(SOP, c=long))["setSop"]["content"].endswith(f"The key is {CUT}.")
    bot = api.as_agent("bot")
    session = (await bot(OPEN, t="kiln"))["openSession"]
    await bot(REMEMBER, i={"content": long, "sessionId": session["id"]})
    await api(REMEMBER, i={"content": long})
    assert [is_main for size, is_main in threads if size > 2_000] == [False] * 3


async def test_a_secret_is_kept_where_no_agent_reads(
    settings: Settings, context: Context, new_user: Callable[[], str], key: str
) -> None:
    async with await with_policy(settings, context, Secrets.USER_ONLY) as http:
        api = Client(http, new_user())
        bot = api.as_agent("bot")
        made = (await bot(REMEMBER, i={"content": f"It is {key}.", "visibility": "OPEN"}))[
            "remember"
        ]
        assert made["secrets"] == [{"kind": "GitHub token", "action": "KEPT_FROM_AGENTS"}]
        plain = await api.remember("The kiln opens by hand.", visibility="OPEN")
        revised = await api(REVISE, id=plain["note"]["id"], c=f"The kiln opens by {key}.")
        assert revised["revise"]["visibility"] == "USER_ONLY"
        assert (await api(SEARCH, t=key))["notes"]["totalCount"] == 2
        assert (await bot(SEARCH, t=key))["notes"]["totalCount"] == 0
        assert await bot.recall(f"It is {key}.") == []


async def test_off_does_not_look(
    settings: Settings, context: Context, new_user: Callable[[], str], key: str
) -> None:
    async with await with_policy(settings, context, Secrets.OFF) as http:
        made = (await Client(http, new_user())(REMEMBER, i={"content": f"It is {key}."}))[
            "remember"
        ]
    assert (made["note"]["content"], made["secrets"]) == (f"It is {key}.", [])
