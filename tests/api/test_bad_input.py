"""Bad input: each with a clear error, and nothing changed."""

import asyncio
import json
import secrets
from typing import Any

import pytest

ABSENT = "0190a0a0-0000-7000-8000-000000000000"
STATS = """{ stats { totalNotes byDomain byVisibility byStatus entities links }
  entities { name } agents { id } }"""
REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { operation note { id } } }"
RECALL = "query R($i: RecallInput!) { recall(input: $i) { hits { note { id } } } }"
MANY = """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index operation
  note { id content } error { code message path } } } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
CYPHER = "'}) DETACH DELETE n // `\"; MATCH (n) DETACH DELETE n RETURN '$x"


async def post(api: Any, query: str, variables: Any, **headers: str) -> dict[str, Any]:
    """As bytes of our own, since lone surrogates and NaN are no JSON for the client."""
    body = json.dumps({"query": query, "variables": variables}).encode()
    sent = {"X-Graphmem-User": api.user, "Content-Type": "application/json", **headers}
    response = await api.http.post("/graphql", content=body, headers=sent)
    return response.json()


async def refused(api: Any, query: str, variables: Any, code: str = "BAD_USER_INPUT") -> str:
    """Ask; the error has the code and data, if any, is null; nothing has changed. The message."""
    before = await api(STATS)
    answer = await post(api, query, variables)
    assert answer.get("errors"), answer
    assert {error["extensions"]["code"] for error in answer["errors"]} == {code}
    assert answer.get("data") is None or not any(answer["data"].values())
    assert await api(STATS) == before
    message = answer["errors"][0]["message"]
    assert message != "Internal error"
    return message


NOTES = {
    "empty": {"content": ""},
    "blank": {"content": " \n "},
    "too long": {"content": "x" * 50_001},
    "NUL": {"content": "a\x00b"},
    "lone surrogate": {"content": "a\ud83db"},
    "NUL in a title": {"content": "a", "title": "\x00"},
    "surrogate in a tag": {"content": "a", "tags": ["\udfff"]},
    "surrogate in an external id": {"content": "a", "externalId": "\udfff"},
    "surrogate in an entity": {"content": "a", "entities": [{"name": "\udfff"}]},
    "surrogate in a domain": {"content": "a", "domain": "\udfff"},
    "importance 1.5": {"content": "a", "importance": 1.5},
    "importance -1": {"content": "a", "importance": -1},
    "confidence 2": {"content": "a", "confidence": 2},
    "importance as text": {"content": "a", "importance": "high"},
    "domain up": {"content": "a", "domain": "../x"},
    "domain inside up": {"content": "a", "domain": "a/../b"},
    "leading slash": {"content": "a", "domain": "/a"},
    "trailing slash": {"content": "a", "domain": "a/"},
    "empty segment": {"content": "a", "domain": "a//b"},
    "empty domain": {"content": "a", "domain": ""},
    "domain with a star": {"content": "a", "domain": "*"},
    "both expiries": {"content": "a", "ttlSeconds": 5, "expiresAt": "2099-01-01T00:00:00Z"},
    "past expiry": {"content": "a", "expiresAt": "2020-01-01T00:00:00Z"},
    "ttl 0": {"content": "a", "ttlSeconds": 0},
    "ttl over 2^31": {"content": "a", "ttlSeconds": 2**31},
    "51 tags": {"content": "a", "tags": [str(i) for i in range(51)]},
    "a time that is none": {"content": "a", "occurredAt": "yesterday"},
    "year 1": {"content": "a", "occurredAt": "0001-01-01T00:00:00Z"},
    "year 9999": {"content": "a", "occurredAt": "9999-12-31T23:59:59Z"},
    "unknown visibility": {"content": "a", "visibility": "PUBLIC"},
    "unknown field": {"content": "a", "owner": "root"},
    "no content": {},
    "null content": {"content": None},
    "content as number": {"content": 5},
    "unknown session": {"content": "a", "sessionId": ABSENT},
    "long metadata": {"content": "a", "metadata": {"a": "x" * 20_000}},
    "deep metadata": {"content": "a", "metadata": json.loads("[" * 60 + "]" * 60)},
    "predicate empty": {
        "content": "a",
        "relations": [{"subject": "A", "predicate": " ", "object": "B"}],
    },
}


@pytest.mark.parametrize("given", NOTES.values(), ids=NOTES)
async def test_a_bad_note_is_refused(api: Any, given: dict[str, Any]) -> None:
    await refused(api, REMEMBER, {"i": given})


async def test_a_number_that_is_none_is_refused(api: Any) -> None:
    await refused(api, REMEMBER, {"i": {"content": "a", "importance": float("nan")}})
    await refused(api, REMEMBER, {"i": {"content": "a", "metadata": float("inf")}})
    literal = 'mutation { remember(input: {content: "a", importance: NaN}) { operation } }'
    await refused(api, literal, {}, "GRAPHQL_VALIDATION_FAILED")


QUESTIONS = {
    "k 0": {"k": 0},
    "k 101": {"k": 101},
    "k 2147483647": {"k": 2147483647},
    "k 2147483648": {"k": 2147483648},
    "k -1": {"k": -1},
    "hops 4": {"hops": 4},
    "hops -1": {"hops": -1},
    "empty query": {"query": ""},
    "long query": {"query": "x" * 10_001},
    "NUL": {"query": "a\x00"},
    "lone surrogate": {"query": "\ud800"},
    "filter domain": {"filter": {"domain": "../x"}},
    "filter author": {"filter": {"author": "a/b"}},
    "filter entity": {"filter": {"entity": "\ud800"}},
    "filter tag": {"filter": {"tags": [""]}},
    "filter kind": {"filter": {"kinds": ["SECRET"]}},
    "as of": {"asOf": "0001-01-01T00:00:00Z"},
    "unknown session": {"sessionId": ABSENT},
    "profile": {"profile": "GUESS"},
}


@pytest.mark.parametrize("given", QUESTIONS.values(), ids=QUESTIONS)
async def test_a_bad_question_is_refused(api: Any, given: dict[str, Any]) -> None:
    await refused(api, RECALL, {"i": {"query": "x", **given}})


CURSORS = [
    "x",
    "",
    "!!!!",
    "WzEsMl0",
    "bnVsbA",
    "W10",
    "e30",
    "ä",
    "\ud800",
    "W1tb" * 4000,
    "0" * 50,
]
CURSORS += ["WzEwMDAwMDAwMDAwMDAwMDAwMDAwMDAsImEiXQ"]  # a time far beyond the calendar


@pytest.mark.parametrize("cursor", CURSORS, ids=range(len(CURSORS)))
async def test_a_broken_cursor_is_refused(api: Any, cursor: str) -> None:
    query = "query N($c: String!) { notes(after: $c) { nodes { id } } }"
    assert "cursor" in await refused(api, query, {"c": cursor})


@pytest.mark.parametrize(
    "query",
    [
        "{ notes(first: 0) { totalCount nodes { id } } }",
        "{ notes(first: -5) { nodes { id } } }",
        "{ notes(first: 501) { nodes { id } } }",
        "{ entities(first: 0) { id } }",
        '{ entities(search: "\\u0000") { id } }',
        "{ events(first: 0) { id } }",
        "{ events(after: -1) { id } }",
        '{ events(since: "0001-01-01T00:00:00Z") { id } }',
        "{ note { id } }",
        '{ note(id: "a", externalId: "b") { id } }',
        "{ entity { id } }",
        '{ entity(name: "") { id } }',
        '{ paths(from: "a", to: "b", maxHops: 7) { relationships } }',
        '{ paths(from: "a", to: "b", first: 21) { relationships } }',
        '{ neighbourhood(kind: ENTITY, of: "") { more } }',
        '{ neighbourhood(kind: TOPIC, of: "a", depth: 4) { more } }',
        '{ neighbourhood(kind: TOPIC, of: "a", first: 151) { more } }',
        '{ neighbourhood(kind: TOPIC, of: "a", since: "0001-01-01T00:00:00Z") { more } }',
        '{ context(input: {task: ""}) { text } }',
        '{ context(input: {task: "a", tokenBudget: 0}) { text } }',
        '{ context(input: {task: "a", tokenBudget: 2147483647}) { text } }',
        "mutation { forget { forgotten } }",
        'mutation { forget(query: "") { forgotten } }',
        'mutation { forget(id: "a", query: "b") { forgotten } }',
        "mutation { setVisibility(visibility: OPEN) { updatedCount } }",
        'mutation { setVisibility(visibility: OPEN, domain: "a//b") { updatedCount } }',
        'mutation { setVisibility(visibility: OPEN, domain: "..") { updatedCount } }',
        'mutation { setVisibility(visibility: OPEN, domain: "a", id: "b") { updatedCount } }',
        'mutation { removeVisibilityRule(domain: "a//b") { id } }',
        "mutation { setDefaultVisibility(visibility: LOCAL) { id } }",
        'mutation { registerUser(id: "a/b") { id } }',
        'mutation { registerUser(id: "a", name: "") { id } }',
        'mutation { link(source: "a", target: "a", kind: "x") { id } }',
        'mutation { link(source: "a", target: "b", kind: " ") { id } }',
    ],
)
async def test_bad_arguments_are_refused(api: Any, query: str) -> None:
    await refused(api, query, {})


SURROGATES = [
    "query Q($t: ID!) { note(id: $t) { id } }",
    "query Q($t: String!) { note(externalId: $t) { id } }",
    "query Q($t: ID!) { entity(id: $t) { id } }",
    "query Q($t: String!) { entity(name: $t) { id } }",
    "query Q($t: String!) { paths(from: $t, to: $t) { relationships } }",
    "query Q($t: String!) { neighbourhood(kind: NOTE, of: $t) { more } }",
    "query Q($t: String!) { neighbourhood(kind: AGENT, of: $t) { more } }",
    "query Q($t: String!) { previewRemember(note: {content: $t}) { reason } }",
    "query Q($t: String!) { events(actor: $t) { id } }",
    "query Q($t: ID!) { events(subjectId: $t) { id } }",
    "query Q($t: String!) { events(types: [$t]) { id } }",
    "query Q($t: String!) { notes(filter: {text: $t}) { totalCount } }",
    "query Q($t: String!) { notes(filter: {episode: $t}) { totalCount } }",
    "mutation Q($t: ID!) { forget(id: $t) { forgotten } }",
    "mutation Q($t: ID!) { unlink(id: $t) }",
    "mutation Q($t: ID!) { pin(id: $t) { id } }",
    "mutation Q($t: ID!) { setVisibility(id: $t, visibility: OPEN) { updatedCount } }",
    'mutation Q($t: ID!) { revise(id: $t, content: "x") { id } }',
]


@pytest.mark.parametrize("query", SURROGATES)
async def test_a_lone_surrogate_anywhere_is_refused(api: Any, query: str) -> None:
    await refused(api, query, {"t": "a\ud800"})


ODD = ["a/b", "../x", "a b", "", "é" * 201, "a'", "x;y", "\x00", "~", "a\u202eb"]


@pytest.mark.parametrize("name", ODD)
async def test_ids_with_odd_characters_are_refused(api: Any, name: str) -> None:
    await refused(api, AGENT, {"i": {"id": name}})
    await refused(api, "mutation U($id: ID!) { registerUser(id: $id) { id } }", {"id": name})


@pytest.mark.parametrize("name", ["a/b", "a b", "..", "a'b", "x" * 201])
async def test_a_viewer_with_odd_characters_is_refused(api: Any, name: str) -> None:
    for headers in ({"X-Graphmem-User": name}, {"X-Graphmem-Agent": name}):
        answer = await post(api, "{ viewer { user { id } } }", {}, **headers)
        assert answer["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
        assert "data" not in answer


async def test_an_agent_does_not_raise_its_own_profile(api: Any) -> None:
    agent = api.as_agent("worker")
    await agent(STATS)
    given = {"id": "worker", "canSeePrivate": True}
    assert await agent.code(AGENT, i=given) == "FORBIDDEN"
    agents = (await api("{ agents { id canSeePrivate } }"))["agents"]
    assert agents == [{"id": "worker", "canSeePrivate": False}]


async def test_unknown_things_are_not_found(api: Any) -> None:
    for query in (
        f'{{ note(id: "{ABSENT}") {{ id }} }}',
        '{ note(externalId: "nothing") { id } }',
        '{ note(id: "") { id } }',
        f'{{ entity(id: "{ABSENT}") {{ id }} }}',
        '{ entity(name: "nobody at all") { id } }',
        '{ paths(from: "x", to: "y") { relationships } }',
        '{ neighbourhood(kind: ENTITY, of: "nobody at all") { more } }',
        '{ neighbourhood(kind: AGENT, of: "nobody") { more } }',
        f'{{ neighbourhood(kind: NOTE, of: "{ABSENT}") {{ more }} }}',
        f'mutation {{ revise(id: "{ABSENT}", content: "x") {{ id }} }}',
        f'mutation {{ forget(id: "{ABSENT}") {{ forgotten }} }}',
        f'mutation {{ restore(id: "{ABSENT}") {{ id }} }}',
        f'mutation {{ pin(id: "{ABSENT}") {{ id }} }}',
        f'mutation {{ unlink(id: "{ABSENT}") }}',
        f'mutation {{ setVisibility(id: "{ABSENT}", visibility: OPEN) {{ updatedCount }} }}',
        f'mutation {{ link(source: "{ABSENT}", target: "x", kind: "y") {{ id }} }}',
    ):
        await refused(api, query, {}, "NOT_FOUND")


async def test_an_explicit_null_means_the_default(api: Any) -> None:
    nulls = dict.fromkeys(
        "externalId title importance confidence domain visibility kind type source validity tags "
        "keywords entities relations episode speaker occurredAt validFrom validTo expiresAt "
        "ttlSeconds pinned loadBearing metadata sessionId mode idempotencyKey".split()
    )
    made = await api.remember("A kiln with nulls.", **nulls)
    assert made["note"]["domain"] == "general"
    assert made["note"]["visibility"] == "SCOPED"
    nulls = dict.fromkeys(
        "k scope profile filter hops deep explicit asOf minScore explain randomSeed sessionId "
        "track".split()
    )
    data = await api(RECALL, i={"query": "kiln", **nulls})
    assert len(data["recall"]["hits"]) == 1
    data = await api(
        """{ notes(filter: null, first: null, after: null) { nodes { id links(first: null) { id }
        revisions(first: null) { version } } }
        context(input: {task: "kiln", tokenBudget: null, scope: null, profile: null}) { tokenCount }
        entities(search: null, first: null) { id }
        events(after: null, types: null, actor: null, first: null) { seq } }"""
    )
    assert len(data["notes"]["nodes"]) == 1
    assert data["context"]["tokenCount"] > 0
    note = made["note"]["id"]
    data = await api(
        f"""mutation {{ pin(id: "{note}", pinned: null, visibility: null) {{ pinned }}
        revise(id: "{note}", title: "New", content: null, expectedVersion: null) {{ content }}
        forget(id: "{note}", confirm: null, permanent: null) {{ forgotten permanent }} }}"""
    )
    assert data["pin"]["pinned"] is True
    assert data["revise"]["content"] == "A kiln with nulls."
    assert data["forget"] == {"forgotten": 1, "permanent": False}


LUCENE = [
    'content:"kiln" AND (title:*)',
    "kiln\\",
    '"kiln',
    "kiln* AND NOT /k.*/ OR [a TO z]",
    "(kiln))) +-&&||!{}^~?:",
    "/kiln/ *:*",
    "kiln^1000~0.5",
    "audienceToken:none OR kiln",
    "`kiln` '); DROP",
]


@pytest.mark.parametrize("query", [*LUCENE, CYPHER + " kiln"])
async def test_syntax_in_a_question_is_only_words(api: Any, query: str) -> None:
    made = await api.remember("The kiln stands in Leeds.")
    await api.as_agent("x").remember("Another user's agent.", visibility="PRIVATE")
    assert made["note"]["id"] in {hit["note"]["id"] for hit in await api.recall(query)}
    found = await api("mutation F($q: String!) { forget(query: $q) { matches { id } } }", q=query)
    assert all(match["id"] == made["note"]["id"] for match in found["forget"]["matches"])
    for search in ("entities(search: $q) { id }", "notes(filter: {text: $q}) { nodes { id } }"):
        await api(f"query S($q: String!) {{ {search} }}", q=query)


async def test_cypher_in_every_text_is_only_text(api: Any, new_user: Any) -> None:
    bystander = api.as_user(new_user())
    await bystander.remember("Still here.")
    given = {
        "title": CYPHER,
        "externalId": CYPHER,
        "episode": CYPHER,
        "speaker": CYPHER,
        "idempotencyKey": CYPHER,
        "tags": [CYPHER],
        "keywords": [CYPHER],
        "entities": [{"name": CYPHER, "type": CYPHER, "aliases": [CYPHER + "2"]}],
        "relations": [{"subject": CYPHER, "predicate": CYPHER, "object": "Kiln"}],
        "metadata": {CYPHER: [CYPHER]},
    }
    made = await api.remember(CYPHER, **given)
    data = await api(
        """query N($x: String!, $f: NoteFilter!) { note(externalId: $x) { content title tags episode
        speaker metadata entities { name type relations { predicate } } }
        entity(name: $x) { name aliases } notes(filter: $f) { totalCount }
        events(actor: $x) { id } paths(from: $x, to: "Kiln") { relationships } }""",
        x=CYPHER,
        f={"text": CYPHER, "episode": CYPHER, "tags": [CYPHER], "entity": CYPHER},
    )
    note = data["note"]
    assert {note[name] for name in ("content", "title", "episode", "speaker")} == {CYPHER}
    assert note["tags"] == [CYPHER]
    assert note["metadata"] == {CYPHER: [CYPHER]}
    assert data["notes"]["totalCount"] == 1
    assert data["entity"]["name"] == CYPHER
    assert data["paths"][0]["relationships"] == [CYPHER]
    other = (await api.remember("Other."))["note"]["id"]
    data = await api(
        """mutation C($a: ID!, $b: ID!, $t: String!) {
        link(source: $a, target: $b, kind: $t, reason: $t) { kind reason }
        revise(id: $b, content: $t, title: $t, tags: [$t]) { content }
        forget(id: $b, reason: $t) { forgotten } }""",
        a=made["note"]["id"],
        b=other,
        t=CYPHER,
    )
    assert data["link"] == {"kind": CYPHER, "reason": CYPHER}
    assert data["revise"]["content"] == CYPHER
    assert (await bystander("{ stats { totalNotes } }"))["stats"]["totalNotes"] == 1
    assert (await api("{ stats { totalNotes } }"))["stats"]["totalNotes"] == 2


async def test_501_notes_are_refused_and_500_are_stored(api: Any) -> None:
    notes = [{"content": f"note {i}", "mode": "VERBATIM"} for i in range(501)]
    assert "500" in await refused(api, MANY, {"i": {"notes": notes}})
    query = "mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index } } }"
    data = await api(query, i={"notes": notes[:500]})
    assert len(data["rememberMany"]["results"]) == 500
    assert (await api("{ stats { totalNotes } }"))["stats"]["totalNotes"] == 500


async def test_one_bad_note_among_500_is_one_error(api: Any) -> None:
    notes = [{"content": f"note {i}"} for i in range(500)]
    notes[250] = {"content": "bad\x00"}
    results = (await api(MANY, i={"notes": notes}))["rememberMany"]["results"]
    assert [r["index"] for r in results] == list(range(500))
    bad = [r for r in results if r["error"]]
    assert len(bad) == 1
    assert bad[0]["index"] == 250
    assert bad[0]["note"] is None
    assert bad[0]["error"]["code"] == "BAD_USER_INPUT"
    assert bad[0]["error"]["path"] == ["notes", "250"]
    assert (await api("{ stats { totalNotes } }"))["stats"]["totalNotes"] == 499


async def test_a_body_of_20_megabytes_is_refused(api: Any) -> None:
    before = await api(STATS)
    body = json.dumps({"query": REMEMBER, "variables": {"i": {"content": "x" * 20_000_000}}})
    response = await api.http.post(
        "/graphql", content=body, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 413
    assert response.json()["errors"][0]["extensions"]["code"] == "PAYLOAD_TOO_LARGE"
    assert await api(STATS) == before


async def test_a_foreign_note_takes_as_long_as_a_missing_one(api: Any, new_user: Any) -> None:
    """The same words, and the same database queries: nothing to tell them apart by."""
    made = await api.as_user(new_user()).remember("Not yours.")
    query = "query N($id: ID!) { note(id: $id) { id } }"
    foreign = await api.post(query, id=made["note"]["id"])
    missing = await api.post(query, id=ABSENT)
    assert foreign == missing
    assert foreign["errors"][0]["extensions"]["code"] == "NOT_FOUND"


async def test_errors_tell_nothing_of_the_inside(api: Any) -> None:
    word = secrets.token_hex(8)
    answers = await asyncio.gather(
        post(api, REMEMBER, {"i": {"content": "", "title": word}}),
        post(api, '{ note(id: "' + word + '") { id } }', {}),
        post(api, RECALL, {"i": {"query": word, "k": 0}}),
    )
    for answer in answers:
        text = json.dumps(answer).lower()
        assert not [w for w in ("neo4j", "cypher", "traceback", ".py", word) if w in text]
