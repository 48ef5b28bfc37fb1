"""Requests drawn from the OpenAPI document: whatever is sent, the answer is one that the document
describes, and never an unforeseen error. Some of them name what earlier requests made."""

import asyncio
import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from clients import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.rest.endpoints import ENDPOINTS, Endpoint
from graphmem.rest.openapi import document

DOCUMENT = document("test")
SCHEMAS = DOCUMENT["components"]["schemas"]
CASES = 12  # for each operation
OPERATIONS = [endpoint for endpoint in ENDPOINTS if not endpoint.streams]
NOTE = "<note>"  # stands for the id of a note in what is drawn
MAKERS: dict[str, tuple[str, dict[str, Any], str]] = {  # what a path names, and how it is made
    "notes": ("/v1/remember", {"content": "Ada Kessler works at Halden."}, "noteId"),
    "links": ("/v1/links", {"source": NOTE, "target": NOTE + "2", "kind": "causes"}, "id"),
    "skills": ("/v1/skills", {"name": "fire-kiln", "procedure": "1. Heat."}, "id"),
    "sessions": ("/v1/sessions", {"task": "Fire the kiln"}, "id"),
    "reflections": ("/v1/reflections", {}, "id"),
}
ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.none()))


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a schema, at times odd ones."""
    if "$ref" in schema:
        return values(SCHEMAS[schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return st.one_of(*map(values, schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", [])
    found = [_of(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    return st.one_of(*found) if found else ODD


def _of(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    match kind:
        case "string" if schema.get("format") == "date-time":
            return st.datetimes().map(lambda at: at.isoformat() + "Z")
        case "string":
            return st.text(max_size=12) | st.just(NOTE)
        case "integer":
            low, high = schema.get("minimum", -(2**40)), schema.get("maximum", 2**40)
            return st.integers(low - 1, high + 1)
        case "number":
            return st.floats(-2, 2) | st.floats(allow_nan=False, allow_infinity=False)
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(values(schema["items"]), max_size=3)
        case "object":
            names = schema.get("properties", {})
            drawn = {name: values(each) for name, each in names.items()}
            needed = {name: drawn.pop(name) for name in schema.get("required", ())}
            return st.fixed_dictionaries(needed, optional=drawn)
    return st.none()


def told_of(endpoint: Endpoint) -> dict[str, Any]:
    """What the document says of an endpoint."""
    return DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]


def fits(schema: dict[str, Any], told: Any) -> bool:
    """Whether an answer is of a schema."""
    if "$ref" in schema:
        return fits(SCHEMAS[schema["$ref"].rpartition("/")[2]], told)
    if "anyOf" in schema:
        return any(fits(each, told) for each in schema["anyOf"])
    if "const" in schema:
        return told == schema["const"]
    if "enum" in schema:
        return told in schema["enum"]
    kinds = schema.get("type")
    if kinds is None:
        return True
    return any(_is(kind, schema, told) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _is(kind: str, schema: dict[str, Any], told: Any) -> bool:
    match kind:
        case "null":
            return told is None
        case "boolean":
            return isinstance(told, bool)
        case "integer":
            return isinstance(told, int) and not isinstance(told, bool)
        case "number":
            return isinstance(told, int | float) and not isinstance(told, bool)
        case "array":
            return isinstance(told, list) and all(fits(schema["items"], each) for each in told)
        case "object" if isinstance(told, dict):
            known = schema.get("properties", {})
            return set(schema.get("required", ())) <= told.keys() and all(
                fits(known.get(name, schema.get("additionalProperties", {})), each)
                for name, each in told.items()
            )
    return kind == "string" and isinstance(told, str)


@pytest.mark.parametrize("endpoint", OPERATIONS, ids=lambda endpoint: endpoint.name)
async def test_every_answer_is_one_of_the_document(
    http: httpx.AsyncClient, api: Client, endpoint: Endpoint
):
    told = told_of(endpoint)
    body = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    drawn: list[tuple[Any, Any, Any]] = []
    asked = [each for each in told["parameters"] if each["in"] == "query"]
    query = st.fixed_dictionaries({}, optional={e["name"]: values(e["schema"]) for e in asked})
    place = st.none() | st.text(min_size=1, max_size=8, alphabet="abc01-_ é%/")

    @settings(
        max_examples=CASES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(values(body) | ODD if body else st.none(), query, place)
    def draw(sent: Any, asked: Any, name: str | None) -> None:
        drawn.append((sent, asked, name))

    await asyncio.to_thread(draw)
    note, known = await made_before(http, api, endpoint)
    for sent, given_query, name in drawn:
        path = endpoint.path
        for each in endpoint.in_path:
            path = path.replace(f"{{{each}}}", quote(name or known, safe=""))
        content = json.dumps(sent).replace(NOTE, note).encode() if body else None
        plain = {k: note if v == NOTE else v for k, v in given_query.items() if v is not None}
        answer = await http.request(
            endpoint.method,
            path,
            params=plain or None,
            content=content,
            headers={"X-Graphmem-User": api.user, "Content-Type": "application/json"},
        )
        check(told, answer, (endpoint.name, sent, plain, name))


async def made_before(http: httpx.AsyncClient, api: Client, endpoint: Endpoint) -> tuple[str, str]:
    """The id of a note, and that of what the path of the endpoint names, both of this user."""
    note = (await api.remember("One bell."))["note"]["id"]
    other = (await api.remember("Two bells."))["note"]["id"]
    path, body, name = MAKERS.get(endpoint.path.removeprefix("/v1").split("/")[1], ("", {}, ""))
    if not endpoint.in_path or not path:
        return note, "persona"
    text = json.dumps(body).replace(NOTE + "2", other).replace(NOTE, note)
    headers = {"X-Graphmem-User": api.user, "Content-Type": "application/json"}
    if path == "/v1/sessions":
        headers["X-Graphmem-Agent"] = "coder"
    answer = await http.post(path, content=text, headers=headers)
    assert answer.is_success, answer.text
    return note, answer.json()[name]


def check(told: dict[str, Any], answer: httpx.Response, asked: object) -> None:
    """Raise AssertionError unless the answer is one that is described."""
    assert answer.status_code < 500, (asked, answer.text)
    known = told["responses"].get(str(answer.status_code))
    if known is None:
        assert answer.status_code >= 400, (asked, answer.status_code)
        known = told["responses"]["default"]
    ((media, content),) = known["content"].items()
    assert answer.headers["content-type"] == media, asked
    assert fits(content["schema"], answer.json()), (asked, answer.text[:500])
