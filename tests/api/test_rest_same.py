"""One operation gives the same result and the same code by REST as by GraphQL."""

import re
from typing import Any

import httpx
import pytest
from clients import Client
from rest import Rest

from graphmem.rest.endpoints import ENDPOINTS

BY_NAME = {endpoint.name: endpoint for endpoint in ENDPOINTS}
NOT_IN_GRAPHQL = ("noteIds", "userId", "authorId", "asOf", "toolCalls")
NOTES = [
    {"content": "Dara Osei leads the Harbour project.", "title": "Harbour", "tags": ["harbour"]},
    {"content": "Dara Osei works from Lisbon and is away in August.", "title": "Dara Osei"},
    {"content": "The kiln relay was repaired by Bo Lindqvist.", "importance": 0.7},
]
OBJECTS = (
    "why",
    "via",
    "passage",
    "hits",
    "agent",
    "lastRun",
    "expert",
    "alternatives",
)  # of which there may be none
EMPTY = "{ __typename }"
NOWHERE = "01920000-0000-7000-8000-000000000000"
# Name of the endpoint: field of GraphQL, its argument's type if all are in `input`, what is given.
READS: list[tuple[str, str, str | None, dict[str, Any]]] = [
    ("recall", "recall", "RecallInput", {"query": "Who leads Harbour?", "track": False}),
    ("recallByGet", "recall", "RecallInput", {"query": "kiln", "k": 1, "profile": "SIMILARITY"}),
    ("recall", "recall", "RecallInput", {"query": "kiln", "explain": True, "track": False}),
    ("makeContextByGet", "context", "ContextInput", {"task": "Call Dara Osei"}),
    ("listEntities", "entities", None, {"first": 5}),
    ("findPaths", "paths", None, {"from": "Dara Osei", "to": "Harbour"}),
    ("getNeighbourhood", "neighbourhood", None, {"kind": "ENTITY", "of": "Dara Osei"}),
    ("getCoreMemory", "coreMemory", None, {}),
    ("listAgents", "agents", None, {}),
    ("getStats", "stats", None, {}),
    ("listEvents", "events", None, {"first": 2}),
    ("listConflicts", "conflicts", None, {}),
    ("listReflections", "reflections", None, {"first": 3}),
    ("listSkills", "skills", None, {}),
    ("getSop", "sop", None, {"domain": "work"}),
    ("listEntityReviews", "entityReviews", None, {}),
    ("listClusterCandidates", "clusterCandidates", None, {}),
    ("listExperts", "whoKnows", None, {"topic": "Harbour project"}),
    ("route", "route", None, {"task": "Repair the kiln relay"}),
    ("consultByGet", "consult", None, {"question": "Which sonnets did Petrarch write?"}),
]
ERRORS: list[tuple[str, str, str | None, dict[str, Any]]] = [
    ("remember", "remember", "RememberInput", {"content": ""}),
    ("remember", "remember", "RememberInput", {"content": "x", "importance": 2.0}),
    ("remember", "remember", "RememberInput", {"content": "x", "domain": "a//b"}),
    ("remember", "remember", "RememberInput", {"content": "x", "ttlSeconds": -1}),
    ("remember", "remember", "RememberInput", {"content": "x", "ttlSeconds": 2_147_483_647}),
    ("recall", "recall", "RecallInput", {"query": "", "k": 3}),
    ("recall", "recall", "RecallInput", {"query": "x", "k": 101}),
    ("recall", "recall", "RecallInput", {"query": "x", "sessionId": "s"}),
    ("getNote", "note", None, {"id": NOWHERE}),
    ("revise", "revise", None, {"id": NOWHERE, "title": "x"}),
    ("forgetNote", "forget", None, {"id": NOWHERE}),
    ("restore", "restore", None, {"id": NOWHERE}),
    ("unlink", "unlink", None, {"id": NOWHERE}),
    ("getEntity", "entity", None, {"id": "nobody"}),
    ("listNotes", "notes", None, {"after": "nonsense"}),
    ("listEvents", "events", None, {"after": -1}),
    ("runJob", "runJob", None, {"name": "nothing"}),
    ("setCoreBlock", "setCoreBlock", None, {"name": "nothing", "text": "x"}),
    ("resolveConflict", "resolveConflict", None, {"id": NOWHERE, "verdict": "COMPATIBLE"}),
    ("decideReflection", "decideReflection", None, {"id": NOWHERE, "accept": []}),
    ("reportSkill", "reportSkill", None, {"id": NOWHERE, "success": True}),
    ("eraseUser", "eraseUser", None, {"confirm": "nobody"}),
    ("leaveTeam", "leaveTeam", None, {"id": "nobody"}),
    ("shareDomain", "shareDomain", None, {"team": "nobody", "domain": "work"}),
    ("route", "route", None, {"task": ""}),
    ("consult", "consult", None, {"question": "x", "k": 101}),
]


@pytest.fixture
def rest(http: httpx.AsyncClient, api: Client) -> Rest:
    """REST for the user of `api`."""
    return Rest(http, api.user)


def literal(value: Any, name: str = "") -> str:
    """A value as it is written in GraphQL."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {literal(v, k)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if not isinstance(value, str) else f'"{value}"'


def call(field: str, kind: str | None, given: dict[str, Any]) -> str:
    """The field with its arguments."""
    words = literal(given)[1:-1]
    words = re.sub(r'(profile|verdict|kind): "(\w+)"', r"\1: \2", words)
    arguments = f"(input: {{{words}}})" if kind else f"({words})" if words else ""
    return f"{field}{arguments}"


def selection(told: Any) -> str:
    """The fields of GraphQL that an answer of REST has."""
    if isinstance(told, list):
        return selection(told[0]) if told else ""
    if not isinstance(told, dict):
        return ""
    parts = [
        f"{k} {EMPTY if k in OBJECTS and not v else selection(v)}"
        for k, v in told.items()
        if k not in NOT_IN_GRAPHQL
    ]
    return "{ " + " ".join(parts) + " }"


def plain(told: Any) -> Any:
    """An answer without what differs from one request to the next, and what only one has."""
    if isinstance(told, list):
        return [plain(each) for each in told]
    if isinstance(told, dict):
        hidden = (*NOT_IN_GRAPHQL, "tookMs", "recallId", "__typename")
        return {k: plain(v) for k, v in told.items() if k not in hidden}
    return round(told, 4) if isinstance(told, float) else told


def without_objects(told: Any) -> Any:
    """An answer without JSON scalars, which GraphQL selects nothing of."""
    if isinstance(told, list):
        return [without_objects(each) for each in told]
    if isinstance(told, dict):
        scalars = ("byDomain", "byVisibility", "byStatus", "byTier", "byActivation", "data")
        scalars += ("metadata", "diff", "counts")
        return {k: "JSON" if k in scalars and v else without_objects(v) for k, v in told.items()}
    return told


@pytest.mark.feature("MUMA-117")
@pytest.mark.parametrize(("name", "field", "kind", "given"), READS)
async def test_a_read_is_the_same(
    place: Any, name: str, field: str, kind: str | None, given: dict[str, Any]
):
    api: Client = (await place()).api  # its clock stands still: activation is as of now
    rest = Rest(api.http, api.user)
    for note in NOTES:
        assert (await rest("POST", "/v1/remember", note)).status_code in (200, 201)
    endpoint = BY_NAME[name]
    answer = await rest.ask(endpoint, **given)
    assert answer.status_code == 200, answer.text
    told = answer.json()[endpoint.under] if endpoint.under else answer.json()
    selected = re.sub(r"\b(\w+) JSON\b", r"\1", selection(without_objects(told)))
    said = (await api(f"{{ {call(field, kind, given)} {selected if told else EMPTY} }}"))[field]
    if isinstance(told, dict) and field == "recall":
        assert told.pop("id") != said.pop("id")  # of this very recall
    assert plain(told) == plain(said)


@pytest.mark.parametrize(("name", "field", "kind", "given"), ERRORS)
async def test_an_error_has_the_same_code_and_words(
    rest: Rest, api: Client, name: str, field: str, kind: str | None, given: dict[str, Any]
):
    endpoint = BY_NAME[name]
    answer = await rest.ask(endpoint, **given)
    root = "mutation" if endpoint.command.changes else "query"
    said = await api.post(f"{root} {{ {call(field, kind, given)} {{ __typename }} }}")
    if "GRAPHQL_VALIDATION_FAILED" in str(said):
        said = await api.post(f"{root} {{ {call(field, kind, given)} }}")
    if answer.is_success:
        assert "errors" not in said, said
        return
    error = said["errors"][0]
    told = answer.json()
    assert (told["code"], told["detail"]) == (error["extensions"]["code"], error["message"])
