"""REST: what is remembered is recalled, listed, revised and forgotten; errors are problems."""

import json
import re
from typing import Any

import httpx
import pytest
from clients import Client
from mcp_clients import code, over_http
from rest import Rest

from graphmem.app import create_app
from graphmem.operations.rates import Rates
from graphmem.services.context import Context
from graphmem.settings import Settings

HARBOUR = {"content": "Dara Osei leads the Harbour project.", "title": "Harbour"}


@pytest.fixture
def rest(http: httpx.AsyncClient, api: Client) -> Rest:
    """REST for the user of `api`."""
    return Rest(http, api.user)


def problem(response: httpx.Response, status: int, code: str) -> str:
    """The detail of a problem, which must be of this kind."""
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert (response.status_code, told["status"], told["code"]) == (status, status, code), told
    assert told["type"] == "about:blank"
    return told["detail"]


async def remembered(rest: Rest, **given: Any) -> Any:
    response = await rest("POST", "/v1/remember", {**HARBOUR, **given})
    assert response.status_code in (200, 201), response.text
    return response.json()["note"]


async def test_what_is_remembered_is_found_and_stands_at_its_address(rest: Rest):
    made = await rest("POST", "/v1/remember", HARBOUR)
    assert made.status_code == 201
    payload = made.json()
    assert payload["operation"] == "ADD"
    assert made.headers["location"] == f"/v1/notes/{payload['noteId']}"
    found = await rest("POST", "/v1/recall", {"query": "Who leads Harbour?", "k": 1})
    assert [hit["note"]["content"] for hit in found.json()["hits"]] == [HARBOUR["content"]]
    by_get = await rest("GET", "/v1/recall", query="Who leads Harbour?", k=1, types="FACT")
    assert [hit["note"]["id"] for hit in by_get.json()["hits"]] == [payload["noteId"]]
    one = await rest("GET", made.headers["location"])
    assert one.json()["title"] == "Harbour"
    assert one.headers["etag"] == '"1"'


async def test_a_note_is_only_revised_in_the_version_that_is_expected(rest: Rest):
    place = f"/v1/notes/{(await remembered(rest))['id']}"
    change = {"content": "Bo Lind leads the Harbour project."}
    done = await rest("PATCH", place, change, headers={"If-Match": '"1"'})
    assert (done.status_code, done.headers["etag"]) == (200, '"2"')
    late = await rest("PATCH", place, {"title": "Late"}, headers={"If-Match": '"1"'})
    problem(late, 412, "CONFLICT")
    assert late.json()["currentVersion"] == 2
    problem(await rest("PATCH", place, {"expectedVersion": 1, "title": "x"}), 409, "CONFLICT")
    for tag in ("1", 'W/"1"', '"1", "2"', '"x"'):
        sent = await rest("PATCH", place, {"title": "x"}, headers={"If-Match": tag})
        problem(sent, 400, "BAD_USER_INPUT")
    either = {"title": "x", "expectedVersion": 2}
    problem(await rest("PATCH", place, either, headers={"If-Match": '"1"'}), 400, "BAD_USER_INPUT")
    anyhow = await rest("PATCH", place, {"title": "x"}, headers={"If-Match": "*"})
    assert anyhow.headers["etag"] == '"3"'


async def test_what_can_not_keep_a_version_refuses_to_be_held_to_one(rest: Rest):
    note = await remembered(rest)
    for method, path in (("DELETE", ""), ("POST", "/pin"), ("POST", "/restore")):
        body = None if method == "DELETE" else {}
        held = {"If-Match": '"9"'}
        refused = await rest(method, f"/v1/notes/{note['id']}{path}", body, headers=held)
        assert "If-Match" in problem(refused, 400, "BAD_USER_INPUT")
    assert (await rest("GET", f"/v1/notes/{note['id']}", headers=held)).json()["status"] == "ACTIVE"


async def test_a_forgotten_note_can_be_restored_and_a_destroyed_one_is_gone(rest: Rest):
    note = await remembered(rest)
    place = f"/v1/notes/{note['id']}"
    gone = await rest("DELETE", place, reason="moved")
    assert gone.json()["forgotten"] == 1
    assert (await rest("GET", place)).json()["status"] == "ARCHIVED"
    assert (await rest("POST", f"{place}/restore", {})).json()["status"] == "ACTIVE"
    assert (await rest("DELETE", place, permanent="true")).json()["permanent"] is True
    problem(await rest("GET", place), 404, "NOT_FOUND")


async def test_a_write_that_is_repeated_with_its_key_is_done_once(rest: Rest):
    sent = {"headers": {"Idempotency-Key": "order-7"}}
    one = await rest("POST", "/v1/remember", HARBOUR, **sent)
    again = await rest("POST", "/v1/remember", HARBOUR, **sent)
    assert one.json()["noteId"] == again.json()["noteId"]
    other = await rest("POST", "/v1/remember", {"content": "Something else."}, **sent)
    problem(other, 409, "CONFLICT")
    many = {"notes": [{"content": "One bell."}, {"content": "Two drums."}], "mode": "VERBATIM"}
    sent = {"headers": {"Idempotency-Key": "order-8"}}
    first, second = [await rest("POST", "/v1/remember/many", many, **sent) for _ in range(2)]
    ids = [[each["noteId"] for each in done.json()["results"]] for done in (first, second)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2
    problem(await rest("POST", "/v1/recall", {"query": "x"}, **sent), 400, "BAD_USER_INPUT")
    different = await rest("POST", "/v1/remember", {**HARBOUR, "idempotencyKey": "x"}, **sent)
    problem(different, 400, "BAD_USER_INPUT")


async def test_the_links_of_pages_lead_through_a_list(rest: Rest):
    contents = {f"Bell number {word}." for word in ("one", "two", "three", "four", "five")}
    notes = [{"content": content} for content in sorted(contents)]
    await rest("POST", "/v1/remember/many", {"notes": notes, "mode": "VERBATIM"})
    for path, name, told in (
        ("/v1/notes", "notes", lambda note: note["content"]),
        ("/v1/events", "events", lambda event: event["subjectId"]),
        ("/v1/events?newestFirst=true", "events", lambda event: event["subjectId"]),
    ):
        seen: list[str] = []
        place: str | None = f"{path}{'&' if '?' in path else '?'}first=2"
        while place:
            answer = await rest("GET", place)
            assert len(answer.json()[name]) <= 2
            seen += [told(each) for each in answer.json()[name]]
            link = answer.headers.get("link")
            assert link is None or link.endswith('; rel="next"')
            place = link.partition(">")[0].removeprefix("<") if link else None
        assert len(seen) == len(set(seen)) == 5
        assert name == "events" or set(seen) == contents


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b'{"content": NaN}', 400),
        (b'{"content": "x", "importance": 1e999}', 400),
        (b'{"content": "\\ud800"}', 400),
        (b'{"content": "\xff"}', 400),
        (b'{"content": 5}', 400),
        (b'{"content": "x", "nonsense": 1}', 400),
        (b'{"content": "x", "ttlSeconds": 1e30}', 400),
        (b'{"content": "x", "ttlSeconds": 99999999999999999999999999}', 400),
        (b'{"content": "x", "metadata": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
        (b"", 400),
    ],
)
async def test_a_bad_body_is_a_problem(rest: Rest, body: bytes, status: int):
    headers = {"X-Graphmem-User": rest.user, "Content-Type": "application/json"}
    answer = await rest.http.post("/v1/remember", content=body, headers=headers)
    problem(answer, status, "BAD_USER_INPUT")


async def test_what_is_asked_wrongly_is_told(rest: Rest):
    assert problem(await rest("GET", "/v1/recall", query="x", k="many"), 400, "BAD_USER_INPUT") == (
        "k must be a whole number"
    )
    for query in ({"query": ["x", "y"]}, {"query": "x", "k": 101}, {"query": "x", "nope": 1}, {}):
        problem(await rest("GET", "/v1/recall", **query), 400, "BAD_USER_INPUT")
    problem(await rest("GET", "/v1/recall", query="x", minScore="nan"), 400, "BAD_USER_INPUT")
    problem(await rest("POST", "/v1/recall?query=x", {"query": "x"}), 400, "BAD_USER_INPUT")
    problem(await rest("GET", "/v1/nothing"), 404, "NOT_FOUND")
    problem(await rest("DELETE", "/v1/notes/x", query="y"), 400, "BAD_USER_INPUT")
    wrong = await rest("PUT", "/v1/recall", {})
    problem(wrong, 405, "BAD_USER_INPUT")
    assert wrong.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    headers = {"X-Graphmem-User": rest.user, "Content-Type": "text/plain"}
    form = await rest.http.post("/v1/recall", content=b"{}", headers=headers)
    problem(form, 415, "BAD_USER_INPUT")
    options = await rest("OPTIONS", "/v1/recall")
    assert (options.status_code, options.headers["allow"]) == (204, "GET, HEAD, OPTIONS, POST")
    large = await rest("POST", "/v1/remember", {"content": "x" * 9_000_000})
    problem(large, 413, "PAYLOAD_TOO_LARGE")


async def test_a_get_leaves_no_trace(rest: Rest):
    stranger = Rest(rest.http, f"{rest.user}-stranger", "probe")
    assert (await stranger("GET", "/v1/recall", query="x")).json()["hits"] == []
    assert (await stranger("GET", "/v1/agents")).json() == {"agents": []}


async def test_the_document_and_its_page_need_no_other_site(rest: Rest):
    told = (await rest("GET", "/openapi.json")).json()
    assert told["openapi"] == "3.1.0"
    for path in ("/docs", "/docs.js", "/docs.css"):
        answer = await rest("GET", path)
        assert answer.status_code == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert not re.search(r"https?://|(src|href)=.//", answer.text)
        assert "<script>" not in answer.text
        assert "style=" not in answer.text
    assert json.dumps(told).count("$ref") > 20


async def test_who_asks_too_often_is_told_when_to_ask_again(
    settings: Settings, context: Context, api: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Rates.__init__, "__defaults__", (lambda: 0.0,))  # its time stands still
    limited = create_app(settings.model_copy(update={"rate_limit": 2}), opened=context)
    transport = httpx.ASGITransport(app=limited)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as http:
        rest = Rest(http, api.user)
        assert (await rest("GET", "/v1/notes")).status_code == 200
        assert (await rest("POST", "/v1/remember", {"content": "One bell."})).status_code == 201
        answer = await rest("GET", "/v1/notes")
        assert (answer.status_code, answer.json()["code"]) == (429, "RATE_LIMITED")
        assert answer.json()["retryable"] is True
        assert 1 <= int(answer.headers["retry-after"]) <= 30
        daemon = await rest("GET", "/agents")
        assert (daemon.status_code, daemon.json()["success"]) == (429, False)
        body = {"query": "{ viewer { userId } }"}
        answer = await http.post("/graphql", json=body, headers={"X-Graphmem-User": api.user})
        assert (answer.status_code, answer.headers["retry-after"].isdecimal()) == (429, True)
        assert answer.json()["errors"][0]["extensions"]["code"] == "RATE_LIMITED"
        agent = await rest.as_agent("coder")("GET", "/v1/notes")
        assert agent.status_code == 429  # a new name is not a new caller
        assert (await http.get("/health")).status_code == 200
    async with over_http(limited, "memory", {"X-Graphmem-User": api.user}) as client:
        assert await code(client, "memory.stats") == "RATE_LIMITED"
