"""Remembering, reading and changing notes over GraphQL."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

MANY = """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index operation
  note { id content } error { code message path } } } }"""
NOTE = """query N($id: ID, $x: String) { note(id: $id, externalId: $x) { id version content title
  context keywords tags kind type source validity importance confidence loadBearing pinned
  domain visibility tier status activation retention relevance halfLifeHours accessCount lastAccessedAt createdAt
  updatedAt occurredAt validFrom validTo expiresAt episode speaker metadata externalId
  author { id } user { id } revisions { version at actor content changes } } }"""
PAGE = """query P($f: NoteFilter, $n: Int, $after: String) { notes(filter: $f, first: $n,
  after: $after) { totalCount nodes { id content } edges { cursor node { id } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }"""
REVISE = """mutation R($id: ID!, $content: String, $title: String, $tags: [String!],
  $domain: String, $importance: Float, $v: Int) {
  revise(id: $id, content: $content, title: $title, tags: $tags,
  domain: $domain, importance: $importance, expectedVersion: $v) { id version content title tags
  domain keywords context validity } }"""
FORGET = """mutation F($id: ID, $q: String, $confirm: Boolean, $permanent: Boolean) {
  forget(id: $id, query: $q, confirm: $confirm, permanent: $permanent) {
  forgotten permanent needsConfirmation matches { id status } } }"""
LINK = """mutation L($a: ID!, $b: ID!, $kind: String!, $reason: String) {
  link(source: $a, target: $b, kind: $kind, reason: $reason) { id kind strength reason
  source { id } target { id } createdAt } }"""
LINKS = "query L($id: ID!) { note(id: $id) { links { id source { id } target { id } } } }"
EVENTS = """query E($after: Int, $types: [String!], $s: ID) { events(after: $after, types: $types,
  subjectId: $s, first: 500) { id seq at type channel actor subjectId domain summary data } }"""


async def note_of(api: Any, note: str) -> dict[str, Any]:
    return (await api(NOTE, id=note))["note"]


async def remember_all(api: Any, notes: list[dict[str, Any]], **given: Any) -> list[Any]:
    """The notes' ids."""
    data = await api(MANY, i={"notes": notes, **given})
    results = data["rememberMany"]["results"]
    assert not [result["error"] for result in results if result["error"]]
    return [result["note"]["id"] for result in results]


@pytest.fixture
def cypher(context: Any) -> Callable[..., Any]:
    """Rows of a query of the test's own."""

    async def run(text: str, **parameters: Any) -> list[dict[str, Any]]:
        answer = await context.graph._driver.execute_query(text, parameters)
        return [record.data() for record in answer.records]

    return run


# ------------------------------------------------------------------ remember


async def test_a_note_is_remembered_and_recalled(api: Any) -> None:
    made = await api.remember("The kiln in Leeds needs a new relay before April.")
    assert made["operation"] == "ADD"
    hits = await api.recall("Which part does the kiln need?")
    assert [hit["note"]["id"] for hit in hits] == [made["note"]["id"]]


@pytest.mark.feature("MUMA-16")
async def test_every_field_of_a_curated_note_is_set(api: Any) -> None:
    agent = api.as_agent("main")
    made = await agent.remember(
        "Priya Nair decided to move the Halden project from Jenkins to Buildkite in March.",
        domain="business/coding",
        entities=[{"name": "Halden", "type": "project"}],
    )
    data = await api(
        """query N($id: ID!) { note(id: $id) { content context keywords tags createdAt updatedAt
        accessCount activation domain user { id } author { id } entities { name } } }""",
        id=made["note"]["id"],
    )
    note = data["note"]
    assert note["context"].startswith("Priya Nair decided")
    assert 3 <= len(note["keywords"]) <= 7
    assert 3 <= len(note["tags"]) <= 5
    assert note["user"]["id"] == api.user
    assert note["author"]["id"] == "main"
    assert [entity["name"] for entity in note["entities"]] == ["Halden"]
    assert note["activation"] > 0
    assert note["accessCount"] == 0


@pytest.mark.feature("DAEM-10", "MUMA-117")
async def test_what_is_given_comes_back_as_given(api: Any) -> None:
    given = {
        "externalId": "mail/42: <a@b>",
        "title": "Grüße aus 東京",
        "importance": 0.25,
        "confidence": 1,
        "domain": "personal/reisen",
        "visibility": "OPEN",
        "kind": "PROCEDURAL",
        "type": "DECISION",
        "source": "INFERRED",
        "validity": "CONFIRMED",
        "tags": ["b", "a"],
        "keywords": ["one"],
        "episode": "thread 7",
        "speaker": "Ann",
        "occurredAt": "2026-01-02T03:04:05.678Z",
        "validFrom": "2026-01-01T00:00:00Z",
        "validTo": "2027-01-01T00:00:00Z",
        "expiresAt": "2099-01-01T00:00:00Z",
        "loadBearing": True,
        "metadata": {"b": [1, 2.5, None, True, "ü", {"": []}], "a": {}, "n": -(2**53)},
    }
    text = 'Zeile 1\n\n\tZeile 2 😀 "quoted" \\ back'
    made = await api.as_agent("main").remember(text, **given)
    note = await note_of(api, made["note"]["id"])
    assert note["content"] == text
    assert {name: note[name] for name in given} == given
    assert (note["version"], note["status"], note["tier"]) == (1, "ACTIVE", "DAILY")
    assert note["author"] == {"id": "main"}
    assert note["user"] == {"id": api.user}
    assert note["createdAt"] == note["updatedAt"]
    assert note["lastAccessedAt"] is None
    assert note["retention"] == pytest.approx(1, abs=1e-3)
    assert note["revisions"] == [
        {"version": 1, "at": note["createdAt"], "actor": "agent:main", "content": text}
        | {"changes": {}}
    ]


async def test_what_is_not_given_follows_who_writes(api: Any) -> None:
    mine = await note_of(api, (await api.remember("I like tea."))["note"]["id"])
    theirs = await note_of(api, (await api.as_agent("a").remember("Tea again."))["note"]["id"])
    said = await api.remember("Said so.", mode="VERBATIM")
    fields = ("source", "validity", "confidence", "kind", "author")
    assert [mine[f] for f in fields] == ["TOLD", "ASSERTED", 0.9, "SEMANTIC", None]
    assert [theirs[f] for f in fields] == ["EXPERIENCE", "INFERRED", 0.6, "SEMANTIC", {"id": "a"}]
    verbatim = await note_of(api, said["note"]["id"])
    assert (verbatim["kind"], verbatim["context"], verbatim["keywords"]) == ("EPISODIC", None, [])
    assert mine["halfLifeHours"] == 168


@pytest.mark.feature("MUMA-23")
async def test_the_same_sentence_twice_is_one_note(api: Any) -> None:
    first = await api.remember("The kiln is blue.")
    second = await api.remember(" The kiln  is\nblue. ")
    assert (second["operation"], second["note"]["id"]) == ("NOOP", first["note"]["id"])
    note = await note_of(api, first["note"]["id"])
    assert note["accessCount"] == 1
    assert note["lastAccessedAt"] is not None
    assert note["halfLifeHours"] == pytest.approx(168 * 1.1)
    assert note["activation"] > 4.1
    assert (await api(PAGE))["notes"]["totalCount"] == 1


@pytest.mark.parametrize(
    "other",
    [
        {"content": "The kiln is not blue."},
        {"content": "The kiln is blue 2."},
        {"content": "the kiln is blue."},
        {"visibility": "OPEN"},
        {"domain": "elsewhere"},
        {"title": "Colours"},
        {"occurredAt": "2026-01-01T00:00:00Z"},
        {"mode": "VERBATIM"},
    ],
)
async def test_what_differs_is_a_note_of_its_own(api: Any, other: dict[str, Any]) -> None:
    await api.remember("The kiln is blue.")
    made = await api.remember(**({"content": "The kiln is blue."} | other))
    assert made["operation"] == "ADD"
    assert (await api(PAGE))["notes"]["totalCount"] == 2


async def test_verbatim_is_never_merged(api: Any) -> None:
    ids = await remember_all(api, [{"content": "ok"}] * 3, mode="VERBATIM")
    assert len(set(ids)) == 3


async def test_many_make_the_same_graph_as_one_by_one(api: Any, new_user: Any, cypher: Any) -> None:
    notes = [
        {"content": "Halden uses the Blue Kiln, says Orla.", "episode": "e", "tags": ["x"]},
        {"content": "About it.", "title": "Blue Kiln (Leeds)", "episode": "e"},
        {
            "content": "Orla works at Saltmarsh with Femi.",
            "entities": [{"name": "Orla", "type": "person", "aliases": ["Orla Whitfield"]}],
            "relations": [{"subject": "Orla", "predicate": "works at", "object": "Saltmarsh"}],
            "externalId": "three",
        },
        {"content": "Orla Whitfield fired the Blue Kiln twice: Blue Kiln it was.", "episode": "e"},
        {"content": "Halden uses the Blue Kiln, says Orla.", "episode": "e"},
        {"content": "Nothing special.", "title": "Femi", "mode": "VERBATIM"},
        {"content": "Orla works at Saltmarsh with Femi.", "externalId": "three"},
        {"content": "Femi met Orla.", "occurredAt": "2020-01-01T00:00:00Z", "episode": "e"},
    ]
    other = api.as_user(new_user())
    results = (await api(MANY, i={"notes": notes}))["rememberMany"]["results"]
    single = [await other.remember(**note) for note in notes]
    assert [r["operation"] for r in results] == [made["operation"] for made in single]
    graphs = []
    for user in (api.user, other.user):
        graph = [
            await cypher(query, user=user)
            for query in (
                """MATCH (n:Note {user: $user}) RETURN n.content AS content, n.title AS title,
                n.tags AS tags, n.accessCount AS accesses, n.halfLifeHours AS halfLife
                ORDER BY content, title""",
                """MATCH (n:Note {user: $user})-[m:MENTIONS]->(e:Entity)
                RETURN n.content AS content, e.key AS key, m.count AS count, m.name AS name, m.type AS type, m.given AS given,
                m.keys AS keys ORDER BY content, key""",
                """MATCH (name:EntityName {user: $user})-[:NAMES]->(e) RETURN name.key AS name,
                e.key AS key ORDER BY name""",
                """MATCH (a:Entity {user: $user})-[r:RELATES_TO]->(b) RETURN a.key AS a,
                r.predicate AS p, b.key AS b""",
                """MATCH (a:Note {user: $user})-[:NEXT]->(b:Note) RETURN a.content AS a,
                b.content AS b ORDER BY a, b""",
                """MATCH (e:Event {stream: $user}) WHERE e.type = 'CREATE' RETURN count(*) AS n""",
            )
        ]
        graphs.append(graph)
    assert graphs[0] == graphs[1]
    assert len(graphs[0][0]) == 6
    assert len(graphs[0][1]) >= 10
    chained = {(row["a"], row["b"]) for row in graphs[0][4]}
    assert (notes[0]["content"], notes[1]["content"]) in chained
    assert len(chained) == 3


# ------------------------------------------------------------------ keys under concurrency


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"externalId": "x1"},
        {"idempotencyKey": "k1"},
        {"idempotencyKey": "k2", "mode": "VERBATIM"},
        {"externalId": "x2", "mode": "VERBATIM"},
    ],
    ids=["text", "external id", "request", "verbatim request", "verbatim external id"],
)
async def test_twenty_at_once_make_one_note(api: Any, given: dict[str, str]) -> None:
    made = await asyncio.gather(*(api.remember("All at once.", **given) for _ in range(20)))
    assert len({each["note"]["id"] for each in made}) == 1
    assert (await api(PAGE))["notes"]["totalCount"] == 1
    if "idempotencyKey" not in given:
        assert sorted(each["operation"] for each in made) == ["ADD"] + ["NOOP"] * 19


async def test_twenty_different_notes_at_once_are_all_kept(api: Any) -> None:
    made = await asyncio.gather(
        *(api.remember(f"Note {i} of Orla.", title=f"Pot {i}", episode="e") for i in range(20))
    )
    assert len({each["note"]["id"] for each in made}) == 20
    events = (await api(EVENTS, types=["CREATE"]))["events"]
    assert len(events) == 20
    assert len({event["seq"] for event in events}) == 20


async def test_a_key_is_for_one_request(api: Any) -> None:
    remember = "mutation R($i: RememberInput!) { remember(input: $i) { operation note { id } } }"
    first = await api.remember("One.", idempotencyKey="k", tags=["a"])
    again = await api.remember("One.", idempotencyKey="k", tags=["a"])
    assert (again["operation"], again["note"]["id"]) == ("ADD", first["note"]["id"])
    assert again["note"]["accessCount"] == 0
    for other in ({"content": "Two."}, {"content": "One.", "tags": ["b"]}):
        assert await api.code(remember, i={"idempotencyKey": "k", **other}) == "CONFLICT"
    assert (await api.as_agent("a").remember("Two.", idempotencyKey="k"))["operation"] == "ADD"
    assert (await api(PAGE))["notes"]["totalCount"] == 2


async def test_an_external_id_is_for_one_text(api: Any) -> None:
    remember = "mutation R($i: RememberInput!) { remember(input: $i) { operation note { id } } }"
    first = await api.remember("One.", externalId="x")
    assert (await api(NOTE, x="x"))["note"]["id"] == first["note"]["id"]
    again = await api.remember("One.", externalId="x")
    assert (again["operation"], again["note"]["id"]) == ("NOOP", first["note"]["id"])
    assert await api.code(remember, i={"externalId": "x", "content": "Two."}) == "CONFLICT"
    mixed = [{"content": "Two.", "externalId": "x"}, {"content": "Three."}]
    results = (await api(MANY, i={"notes": mixed}))["rememberMany"]["results"]
    assert results[0]["error"]["code"] == "CONFLICT"
    assert results[1]["operation"] == "ADD"


# ------------------------------------------------------------------ expiry


@pytest.mark.feature("DAEM-9")
async def test_an_expired_note_is_gone_from_every_read(api: Any) -> None:
    given = {
        "ttlSeconds": 1,
        "externalId": "short",
        "idempotencyKey": "short",
        "episode": "e",
        "entities": [{"name": "Zeppelin"}],
        "relations": [{"subject": "Zeppelin", "predicate": "is", "object": "Airship"}],
    }
    made = (await api.remember("The Zeppelin leaves.", **given))["note"]
    assert made["expiresAt"] > made["createdAt"]
    stays = (await api.remember("A ticket.", episode="e"))["note"]
    await api(LINK, a=stays["id"], b=made["id"], kind="ABOUT")
    assert (await api('{ entity(name: "Zeppelin") { noteCount } }'))["entity"]["noteCount"] == 1
    await asyncio.sleep(1.1)
    assert await api.code(NOTE, id=made["id"]) == "NOT_FOUND"
    assert await api.code(NOTE, x="short") == "NOT_FOUND"
    data = await api(
        """{ recall(input: {query: "Zeppelin leaves", deep: true, explicit: true, hops: 3}) {
        hits { note { id } } } context(input: {task: "Zeppelin"}) { text } entities { name }
        notes { totalCount nodes { id links { id } } } stats { totalNotes entities links } }"""
    )
    assert made["id"] not in [hit["note"]["id"] for hit in data["recall"]["hits"]]
    assert "Zeppelin" not in data["context"]["text"]
    assert data["entities"] == []
    assert data["notes"] == {"totalCount": 1, "nodes": [{"id": stays["id"], "links": []}]}
    assert data["stats"] == {"totalNotes": 1, "entities": 0, "links": 0}
    assert await api.code('{ entity(name: "Zeppelin") { id } }') == "NOT_FOUND"
    assert await api.code('{ paths(from: "Zeppelin", to: "Airship") { relationships } }') == (
        "NOT_FOUND"
    )
    for change in (REVISE, FORGET):
        assert await api.code(
            change, id=made["id"], **{"content": "x"} if change == REVISE else {}
        ) == ("NOT_FOUND")
    anew = await api.remember("Another Zeppelin.", externalId="short", idempotencyKey="short")
    assert anew["operation"] == "ADD"
    assert (await api(NOTE, x="short"))["note"]["id"] == anew["note"]["id"]


async def test_keys_of_two_expired_notes_can_be_had_by_one(api: Any) -> None:
    await api.remember("One.", ttlSeconds=1, externalId="x")
    await api.remember("Two.", ttlSeconds=1, idempotencyKey="k")
    await asyncio.sleep(1.1)
    made = await api.remember("Three.", externalId="x", idempotencyKey="k")
    assert made["operation"] == "ADD"


# ------------------------------------------------------------------ lists


async def test_pages_follow_each_other_while_notes_come_and_go(api: Any) -> None:
    ids = []
    for part in range(3):
        ids += await remember_all(api, [{"content": f"note {part} {i}"} for i in range(10)])
    seen, after = [], None
    for turn in range(5):
        page = (await api(PAGE, n=7, after=after))["notes"]
        assert [edge["node"]["id"] for edge in page["edges"]] == [n["id"] for n in page["nodes"]]
        assert page["pageInfo"]["hasPreviousPage"] is (turn > 0)
        assert page["pageInfo"]["hasNextPage"] is (turn < 4)
        assert page["pageInfo"]["endCursor"] == page["edges"][-1]["cursor"]
        assert page["pageInfo"]["startCursor"] == page["edges"][0]["cursor"]
        assert page["totalCount"] == 30 + turn
        seen += [node["id"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        await api.remember(f"newer {turn}")
    assert len(seen) == 30
    assert set(seen) == set(ids)
    assert set(seen[:10]) == set(ids[20:])  # newest first
    empty = (await api(PAGE, n=7, after=after))["notes"]
    assert empty["nodes"] == []
    assert empty["pageInfo"]["endCursor"] is None


FILTERS: dict[str, tuple[dict[str, Any], str]] = {
    "domain": ({"domain": "a/b"}, "13"),
    "domain above": ({"domain": "a"}, "123"),
    "tags": ({"tags": ["x", "y"]}, "1"),
    "one tag": ({"tags": ["x"]}, "12"),
    "kinds": ({"kinds": ["PROCEDURAL", "EPISODIC"]}, "23"),
    "types": ({"types": ["TASK"]}, "3"),
    "tiers": ({"tiers": ["LONG_TERM"]}, ""),
    "statuses": ({"statuses": ["ARCHIVED"]}, "4"),
    "visibilities": ({"visibilities": ["OPEN", "PRIVATE"]}, "23"),
    "entity by name": ({"entity": "blue kiln"}, "2"),
    "author": ({"author": "main"}, "3"),
    "episode": ({"episode": "e"}, "3"),
    "text": ({"text": "TWO ü"}, "2"),
    "text in a title": ({"text": "heading"}, "1"),
    "since": ({"since": "2020-06-01T00:00:00Z"}, "12"),
    "until": ({"until": "2020-06-01T00:00:00Z"}, "3"),
    "all at once": ({"domain": "a", "tags": ["x"], "kinds": ["SEMANTIC"], "text": "one"}, "1"),
    "empty lists": ({"tags": [], "kinds": [], "statuses": []}, "123"),
    "nothing fits": ({"domain": "a/bb"}, ""),
}


async def test_every_filter_of_a_list(api: Any) -> None:
    await api.remember("1 one", domain="a/b", tags=["x", "y"], title="The Heading", kind="SEMANTIC")
    await api.remember(
        "2 two Ü",
        domain="a/c",
        tags=["x"],
        kind="PROCEDURAL",
        visibility="OPEN",
        entities=[{"name": "Blue Kiln"}],
    )
    await api.as_agent("main").remember(
        "3 three",
        domain="a/b/d",
        tags=["y"],
        type="TASK",
        visibility="PRIVATE",
        episode="e",
        occurredAt="2020-01-01T00:00:00Z",
    )
    gone = await api.remember("4 four", domain="a/b", tags=["x", "y"], kind="SEMANTIC")
    await api(FORGET, id=gone["note"]["id"])
    entity = (await api('{ entity(name: "Blue Kiln") { id } }'))["entity"]["id"]
    filters = FILTERS | {"entity by id": ({"entity": entity}, "2")}
    for name, (given, expected) in filters.items():
        page = (await api(PAGE, f=given))["notes"]
        found = "".join(sorted(node["content"][0] for node in page["nodes"]))
        assert (name, found, page["totalCount"]) == (name, expected, len(expected))
        paged = await api(PAGE, f=given, n=1)
        assert paged["notes"]["pageInfo"]["hasNextPage"] is (len(expected) > 1)


# ------------------------------------------------------------------ changes


@pytest.mark.feature("MUMA-17")
async def test_a_version_guards_against_lost_updates(api: Any) -> None:
    note = (await api.remember("The kiln is blue.", tags=["a", "b", "c"]))["note"]
    assert note["version"] == 1
    revised = (await api(REVISE, id=note["id"], content="The kiln is red.", v=1))["revise"]
    assert (revised["version"], revised["content"]) == (2, "The kiln is red.")
    assert revised["context"] == "The kiln is red."
    assert revised["validity"] == "CONFIRMED"
    answer = await api.post(REVISE, id=note["id"], content="The kiln is green.", v=1)
    assert answer["errors"][0]["extensions"]["code"] == "CONFLICT"
    assert answer["errors"][0]["extensions"]["currentVersion"] == 2
    now = await note_of(api, note["id"])
    assert (now["version"], now["content"]) == (2, "The kiln is red.")
    assert [(r["version"], r["content"]) for r in now["revisions"]] == [
        (2, "The kiln is red."),
        (1, "The kiln is blue."),
    ]
    assert [hit["note"]["content"] for hit in await api.recall("kiln red")] == ["The kiln is red."]
    tries = [api.post(REVISE, id=note["id"], content=f"try {i}", v=2) for i in range(8)]
    answers = await asyncio.gather(*tries)
    assert len([a for a in answers if "errors" not in a]) == 1
    codes = {a["errors"][0]["extensions"]["code"] for a in answers if "errors" in a}
    assert codes == {"CONFLICT"}
    assert (await note_of(api, note["id"]))["version"] == 3


@pytest.mark.feature("MUMA-17")
async def test_links_show_on_both_notes(api: Any) -> None:
    one, other = [(await api.remember(t))["note"]["id"] for t in ("First.", "Second.")]
    made = (await api(LINK, a=one, b=other, kind="CAUSES", reason="since"))["link"]
    assert (made["kind"], made["reason"], made["strength"]) == ("CAUSES", "since", 1.0)
    again = (await api(LINK, a=one, b=other, kind="CAUSES"))["link"]
    assert (again["id"], again["reason"]) == (made["id"], "since")
    for note in (one, other):
        links = (await api(LINKS, id=note))["note"]["links"]
        assert links == [{"id": made["id"], "source": {"id": one}, "target": {"id": other}}]
    unlink = "mutation U($id: ID!) { unlink(id: $id) }"
    assert (await api(unlink, id=made["id"]))["unlink"] is True
    for note in (one, other):
        assert (await api(LINKS, id=note))["note"]["links"] == []
    assert await api.code(unlink, id=made["id"]) == "NOT_FOUND"


async def test_a_revise_changes_what_is_given_and_nothing_else(api: Any) -> None:
    note = (await api.remember("Text of Orla.", title="Old", tags=["a"]))["note"]["id"]
    before = await note_of(api, note)
    revised = (await api(REVISE, id=note, title="New Title", tags=["b"], importance=1))["revise"]
    assert (revised["title"], revised["tags"], revised["version"]) == ("New Title", ["b"], 2)
    after = await note_of(api, note)
    same = before.keys() - {"title", "tags", "importance", "version", "updatedAt", "revisions"}
    same -= {"activation", "retention"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert after["revisions"][0]["changes"] == {
        "title": ["Old", "New Title"],
        "tags": [["a"], ["b"]],
        "importance": [0.5, 1.0],
    }
    nothing = (await api(REVISE, id=note, title="New Title"))["revise"]
    assert nothing["version"] == 2
    assert await api.code(REVISE, id=note) == "BAD_USER_INPUT"
    entities = "query N($id: ID!) { note(id: $id) { entities { name } } }"
    assert (await api(entities, id=note))["note"]["entities"] == [{"name": "New Title"}]


async def test_a_note_moves_to_another_domain_with_its_readers(api: Any) -> None:
    agent = 'mutation { registerAgent(input: {id: "a", domains: ["x"]}) { id } }'
    rule = 'mutation { setVisibility(domain: "y", visibility: PRIVATE) { updatedCount } }'
    await api(agent)
    await api(rule)
    made = await api.remember("Moves.", domain="x", entities=[{"name": "Mover"}])
    reader = api.as_agent("a")
    assert len(await reader.recall("moves")) == 1
    moved = (await api(REVISE, id=made["note"]["id"], domain="y/z"))["revise"]
    assert moved["domain"] == "y/z"
    assert (await note_of(api, made["note"]["id"]))["visibility"] == "PRIVATE"
    assert await reader.recall("moves") == []
    assert await reader.code('{ entity(name: "Mover") { id } }') == "NOT_FOUND"
    assert len(await api.recall("moves", filter={"domain": "y"})) == 1


async def test_what_is_forgotten_can_be_restored(api: Any) -> None:
    note = (await api.remember("The kiln is blue.", entities=[{"name": "Kiln"}]))["note"]["id"]
    assert (await api(FORGET, id=note))["forget"] == {
        "forgotten": 1,
        "permanent": False,
        "needsConfirmation": False,
        "matches": [{"id": note, "status": "ARCHIVED"}],
    }
    assert await api.recall("kiln") == []
    assert [hit["note"]["id"] for hit in await api.recall("kiln", deep=True)] == [note]
    assert (await api(PAGE))["notes"]["totalCount"] == 0
    assert (await api("{ entities { id } }"))["entities"] == []
    assert (await note_of(api, note))["relevance"] == 0
    assert (await api(FORGET, id=note))["forget"]["forgotten"] == 0
    anew = await api.remember("The kiln is blue.")
    assert anew["operation"] == "ADD"
    await api(FORGET, id=anew["note"]["id"], permanent=True)
    restored = await api("mutation R($id: ID!) { restore(id: $id) { status version } }", id=note)
    assert restored["restore"] == {"status": "ACTIVE", "version": 3}
    assert [hit["note"]["id"] for hit in await api.recall("kiln")] == [note]
    assert (await api("{ entities { name } }"))["entities"] == [{"name": "Kiln"}]
    types = [event["type"] for event in (await api(EVENTS, s=note))["events"]]
    assert types == ["CREATE", "ARCHIVE", "REVERT"]


async def test_forgetting_by_a_query_asks_first(api: Any) -> None:
    ids = await remember_all(
        api, [{"content": "project x failed"}, {"content": "project x costs"}, {"content": "tea"}]
    )
    asked = (await api(FORGET, q="project x"))["forget"]
    assert (asked["forgotten"], asked["needsConfirmation"]) == (0, True)
    assert {match["id"] for match in asked["matches"]} == set(ids[:2])
    assert (await api(PAGE))["notes"]["totalCount"] == 3
    done = (await api(FORGET, q="project x", confirm=True))["forget"]
    assert (done["forgotten"], done["needsConfirmation"]) == (2, False)
    assert [node["id"] for node in (await api(PAGE))["notes"]["nodes"]] == [ids[2]]
    none = (await api(FORGET, q="zzz qqq", confirm=True))["forget"]
    assert (none["forgotten"], none["needsConfirmation"], none["matches"]) == (0, False, [])


ANYWHERE = """MATCH (x) WHERE any(k IN keys(x) WHERE CASE
  WHEN valueType(x[k]) STARTS WITH 'STRING' THEN toLower(x[k]) CONTAINS $word
  WHEN valueType(x[k]) STARTS WITH 'LIST<STRING' THEN any(s IN x[k] WHERE toLower(s) CONTAINS $word)
  ELSE false END) RETURN labels(x) AS at
UNION ALL
MATCH ()-[x]->() WHERE any(k IN keys(x) WHERE CASE
  WHEN valueType(x[k]) STARTS WITH 'STRING' THEN toLower(x[k]) CONTAINS $word
  WHEN valueType(x[k]) STARTS WITH 'LIST<STRING' THEN any(s IN x[k] WHERE toLower(s) CONTAINS $word)
  ELSE false END) RETURN [type(x)] AS at"""


async def test_permanent_leaves_no_word_anywhere(api: Any, cypher: Any, new_user: Any) -> None:
    word = "w" + new_user()[2:]
    name = word.capitalize()
    made = await api.remember(
        f"The {name} of Halden.",
        title=f"Title {name}",
        tags=[word],
        keywords=[word],
        episode=word,
        speaker=word,
        externalId=word,
        idempotencyKey=word,
        metadata={word: word},
        entities=[
            {"name": name, "type": word, "aliases": ["Halden", f"Alias {name}"]},
            {"name": f"Only {name}"},
        ],
        relations=[{"subject": name, "predicate": word, "object": "Leeds"}],
    )
    note = made["note"]["id"]
    other = (await api.remember("Halden is in Leeds.", entities=[{"name": "Halden"}]))["note"]["id"]
    await api(LINK, a=other, b=note, kind=word, reason=word)
    await api(REVISE, id=note, content=f"Now {name} is revised, for Halden.")
    await api.recall("Halden", track=True)
    places = {label for row in await cypher(ANYWHERE, word=word) for label in row["at"]}
    assert {"Note", "Revision", "Entity", "EntityName", "MENTIONS", "RELATES_TO"} <= places
    found = "CALL db.index.fulltext.queryNodes('note_text', $word) YIELD node RETURN node.id AS id"
    assert await cypher(found, word=word) == [{"id": note}]
    done = (await api(FORGET, id=note, permanent=True))["forget"]
    assert (done["forgotten"], done["permanent"]) == (1, True)
    assert await cypher(ANYWHERE, word=word) == []
    assert await cypher(found, word=word) == []
    assert await api.code(NOTE, id=note) == "NOT_FOUND"
    assert (
        await api.code("mutation R($id: ID!) { restore(id: $id) { id } }", id=note) == "NOT_FOUND"
    )
    events = (await api(EVENTS, s=note))["events"]
    assert [(event["type"], event["data"]) for event in events] == [("DELETE", {})]
    data = await api("{ entities { name aliases noteCount } stats { totalNotes links } }")
    assert {e["name"]: e["noteCount"] for e in data["entities"]} == {"Halden": 1, "Leeds": 1}
    assert all(entity["aliases"] == [] for entity in data["entities"])
    assert data["stats"] == {"totalNotes": 1, "links": 0}
    assert [hit["note"]["id"] for hit in await api.recall("Halden", deep=True)] == [other]
    # The name that is left still leads to the thing, and a new note joins it.
    await api.remember("Halden again.", entities=[{"name": "Halden"}])
    assert (await api('{ entity(name: "Halden") { noteCount } }'))["entity"]["noteCount"] == 2


async def test_a_chain_closes_over_a_destroyed_note(api: Any, cypher: Any) -> None:
    ids = await remember_all(
        api, [{"content": f"turn {i}", "episode": "talk"} for i in range(3)], mode="VERBATIM"
    )
    chain = "MATCH (a:Note {user: $user})-[:NEXT]->(b) RETURN a.id AS a, b.id AS b"
    linked = {row["a"]: row["b"] for row in await cypher(chain, user=api.user)}
    assert linked == {ids[0]: ids[1], ids[1]: ids[2]}  # the order given
    listed = (await api(PAGE))["notes"]["nodes"]
    assert [node["id"] for node in listed] == ids[::-1]
    await api(FORGET, id=ids[1], permanent=True)
    assert await cypher(chain, user=api.user) == [{"a": ids[0], "b": ids[2]}]


async def test_pinned_notes_never_decay(api: Any) -> None:
    note = (await api.remember("Always TypeScript."))["note"]["id"]
    pin = "mutation P($id: ID!, $p: Boolean!) { pin(id: $id, pinned: $p) { pinned version } }"
    assert (await api(pin, id=note, p=True))["pin"] == {"pinned": True, "version": 2}
    pinned = await note_of(api, note)
    assert pinned["halfLifeHours"] is None
    assert (pinned["retention"], pinned["relevance"]) == (1, 1)
    await api(pin, id=note, p=False)
    assert (await note_of(api, note))["halfLifeHours"] == 168
    given = (await api.remember("Pinned at once.", pinned=True))["note"]
    assert given["halfLifeHours"] is None


async def test_a_pin_may_set_the_visibility(api: Any) -> None:
    note = (await api.remember("For all."))["note"]["id"]
    pin = "mutation P($id: ID!) { pin(id: $id, visibility: OPEN) { visibility version pinned } }"
    assert (await api(pin, id=note))["pin"] == {"visibility": "OPEN", "version": 3, "pinned": True}
    read = await note_of(api, note)
    assert (read["visibility"], read["version"], len(read["revisions"])) == ("OPEN", 3, 3)


# ------------------------------------------------------------------ access, events, statistics


async def test_a_tracked_recall_is_one_access(api: Any) -> None:
    note = (await api.remember("The kiln is blue."))["note"]["id"]
    await api.recall("kiln")
    await asyncio.sleep(0.6)
    assert (await note_of(api, note))["accessCount"] == 0
    await api.recall("kiln", track=True)
    for _ in range(50):
        read = await note_of(api, note)
        if read["accessCount"]:
            break
        await asyncio.sleep(0.1)
    assert read["accessCount"] == 1
    assert read["halfLifeHours"] == pytest.approx(168 * 1.2)
    assert read["version"] == 1


async def test_each_change_is_an_event_and_events_can_be_replayed(api: Any) -> None:
    note = (await api.remember("One.", domain="a/b"))["note"]["id"]
    other = (await api.remember("Two."))["note"]["id"]
    await api(REVISE, id=note, content="One and a half.")
    made = (await api(LINK, a=note, b=other, kind="X"))["link"]["id"]
    await api("mutation U($id: ID!) { unlink(id: $id) }", id=made)
    await api("mutation P($id: ID!) { pin(id: $id) { id } }", id=note)
    await api(
        "mutation V($id: ID!) { setVisibility(id: $id, visibility: OPEN) { updatedCount } }",
        id=note,
    )
    await api.remember("Two.")
    await api(FORGET, id=other)
    events = (await api(EVENTS))["events"]
    assert [event["type"] for event in events if event["subjectId"] == note] == [
        "CREATE",
        "EDIT",
        "LINK",
        "LINK",
        "PIN",
        "VISIBILITY",
    ]
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    assert {event["actor"] for event in events} == {f"user:{api.user}"}
    assert {event["domain"] for event in events if event["subjectId"] == note} == {"a/b"}
    assert not [e for e in events if "One" in str(e["data"]) + e["summary"]]
    middle = events[2]["seq"]
    assert (await api(EVENTS, after=middle))["events"] == events[3:]
    assert (await api(EVENTS, types=["PIN"]))["events"] == [e for e in events if e["type"] == "PIN"]
    assert (await api(EVENTS, s=other))["events"] == [e for e in events if e["subjectId"] == other]
    timed = """query T($s: DateTime, $u: DateTime, $a: String) { events(since: $s, until: $u,
      actor: $a) { seq } }"""
    assert len((await api(timed, s=events[0]["at"], u=events[-1]["at"]))["events"]) == len(events)
    assert (await api(timed, u="2020-01-01T00:00:00Z"))["events"] == []
    assert (await api(timed, a="agent:nobody"))["events"] == []


@pytest.mark.feature("MUMA-97")
async def test_each_breakdown_adds_up_to_the_total(api: Any) -> None:
    for i, visibility in enumerate(("OPEN", "SCOPED", "PRIVATE", "USER_ONLY", "OPEN")):
        await api.remember(f"note {i}", visibility=visibility, domain=f"d{i % 2}")
    await api.remember("note 0", visibility="OPEN", domain="d0")
    listed = (await api(PAGE))["notes"]["nodes"]
    await api(FORGET, id=listed[0]["id"])
    query = """{ stats { totalNotes byDomain byVisibility byStatus byTier byActivation storageBytes
      entities links } }"""
    stats = (await api(query))["stats"]
    assert stats["totalNotes"] == 5
    for name in ("byDomain", "byVisibility", "byStatus", "byTier", "byActivation"):
        assert sum(stats[name].values()) == 5, name
    assert stats["byDomain"] == {"d0": 3, "d1": 2}
    assert stats["byVisibility"] == {"OPEN": 2, "PRIVATE": 1, "SCOPED": 1, "USER_ONLY": 1}
    assert stats["byStatus"] == {"ACTIVE": 4, "ARCHIVED": 1}
    assert stats["byActivation"] == {"high": 5}
    assert stats["storageBytes"] >= 5 * (6 + 4 * 384)


async def test_the_ranges_of_activation_are_those_of_the_formula(api: Any, cypher: Any) -> None:
    ids = await remember_all(api, [{"content": f"old note {i}"} for i in range(4)])
    for note, hours in zip(ids, (0, 0.5, 20, 1000), strict=True):
        await cypher(
            """MATCH (n:Note {id: $id}) SET n.createdAt = n.createdAt - duration({minutes: $m}),
            n.accessTimes = [n.createdAt - duration({minutes: $m})], n.accessCount = $c""",
            id=note,
            m=int(hours * 60),
            c=1 if hours < 1000 else 9,
        )
    stats = (await api("{ stats { byActivation } }"))["stats"]["byActivation"]
    values = [(await note_of(api, note))["activation"] for note in ids]
    ranges = [
        "high" if v >= 2 else "medium" if v >= 0 else "low" if v >= -2 else "faint" for v in values
    ]
    assert stats == {name: ranges.count(name) for name in sorted(set(ranges))}
    assert len(set(ranges)) == 4


@pytest.mark.feature("MUMA-121")
async def test_everything_readable_comes_back_through_lists(api: Any) -> None:
    """An export as JSON: every note with links, revisions, entities, and the rules."""
    notes = [
        {
            "content": f"note {i} of Orla",
            "metadata": {"i": i},
            "visibility": v,
            "domain": f"d/{i % 3}",
        }
        for i, v in enumerate(["OPEN", "SCOPED", "PRIVATE", "USER_ONLY"] * 30)
    ]
    ids = await remember_all(api, notes)
    await api(LINK, a=ids[0], b=ids[1], kind="NEXT TO")
    await api(REVISE, id=ids[2], content="revised")
    await api(FORGET, id=ids[3])
    await api('mutation { setVisibility(domain: "d/9", visibility: PRIVATE) { updatedCount } }')
    query = """query X($after: String) { notes(first: 50, after: $after, filter: {statuses: [ACTIVE,
      FADING, DORMANT, ARCHIVED, SUPERSEDED]}) { totalCount nodes { id content metadata visibility
      domain status links { kind source { id } target { id } } revisions { version content }
      entities { name } } pageInfo { endCursor hasNextPage } } }"""
    exported: dict[str, Any] = {}
    after = None
    while True:
        page = (await api(query, after=after))["notes"]
        exported |= {node["id"]: node for node in page["nodes"]}
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert set(exported) == set(ids)
    assert page["totalCount"] == 120
    for note, i in zip(notes, ids, strict=True):
        assert exported[i]["metadata"] == note["metadata"]
        assert exported[i]["visibility"] == note["visibility"]
    assert exported[ids[0]]["links"] == exported[ids[1]]["links"] != []
    assert [r["content"] for r in exported[ids[2]]["revisions"]] == ["revised", "note 2 of Orla"]
    assert exported[ids[3]]["status"] == "ARCHIVED"
    rules = await api("{ viewer { user { visibilityRules { domain visibility } } } }")
    assert rules["viewer"]["user"]["visibilityRules"] == [
        {"domain": "d/9", "visibility": "PRIVATE"}
    ]


# ------------------------------------------------------------------ context, entities, viewer


@pytest.mark.feature("MUMA-114")
async def test_a_context_of_1000_notes_keeps_its_budget(api: Any) -> None:
    texts = [f"Kiln report {i}: " + "the glaze cracked again. " * (i % 9) for i in range(1000)]
    notes = [{"content": t, "domain": f"d{i % 4}"} for i, t in enumerate(texts)]
    query = "mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index } } }"
    for part in (notes[:500], notes[500:]):
        await api(query, i={"notes": part, "mode": "VERBATIM"})
    asked = """query C($t: String!, $b: Int) { context(input: {task: $t, tokenBudget: $b}) { text
      tokenCount suggestedScope suggestedDomains hits { score note { id content domain } } } }"""
    made = (await api(asked, t="kiln report glaze cracked"))["context"]
    assert 1200 < made["tokenCount"] <= 1700
    assert -(-len(made["text"]) // 4) == made["tokenCount"]
    scores = [hit["score"] for hit in made["hits"]]
    assert scores == sorted(scores, reverse=True)
    recalled = await api.recall("kiln report glaze cracked", k=100)
    order = [hit["note"]["id"] for hit in recalled]
    shown = [hit["note"]["id"] for hit in made["hits"]]
    assert shown[0] == order[0]
    assert shown == [i for i in order if i in shown]
    for hit in made["hits"]:
        assert f"- {hit['note']['content']}" in made["text"]
        assert f"## {hit['note']['domain']}" in made["text"]
    assert made["text"].count("\n- ") == len(shown)
    small = (await api(asked, t="kiln report", b=60))["context"]
    assert small["tokenCount"] <= 60
    assert (await api(asked, t="kiln report", b=1))["context"]["text"] == ""


async def test_entities_are_found_by_name_alias_and_part(api: Any) -> None:
    await api.remember(
        "Orla Whitfield runs Saltmarsh.",
        entities=[{"name": "Orla Whitfield", "type": "person", "aliases": ["Orla", "O. W."]}],
        relations=[
            {"subject": "Orla", "predicate": "runs", "object": "Saltmarsh", "confidence": 0.8}
            | {"validFrom": "2026-01-01T00:00:00Z"}
        ],
    )
    await api.remember("Later Orla left.")
    query = """query E($n: String, $id: ID) { entity(name: $n, id: $id) { id name type aliases
      noteCount summary notes(first: 1) { content } relations { predicate confidence validFrom
      validTo subject { name } object { name } firstSeenAt notes { content } } } }"""
    found = [(await api(query, n=n))["entity"] for n in ("Orla Whitfield", "orla", "O.W.", "ORLA")]
    assert all(each == found[0] for each in found)
    entity = found[0]
    assert (entity["name"], entity["type"], entity["noteCount"]) == ("Orla Whitfield", "person", 2)
    assert entity["aliases"] == ["O. W.", "Orla"]
    assert entity["notes"] == [{"content": "Later Orla left."}]
    assert entity["relations"][0]["confidence"] == 0.8
    assert entity["relations"][0]["validFrom"] == "2026-01-01T00:00:00Z"
    assert entity["relations"][0]["object"] == {"name": "Saltmarsh"}
    assert (await api(query, id=entity["id"]))["entity"] == entity
    search = "query S($s: String, $n: Int) { entities(search: $s, first: $n) { name } }"
    for part in ("whit", "ORLA", "o w"):
        assert (await api(search, s=part))["entities"] == [{"name": "Orla Whitfield"}]
    assert len((await api(search))["entities"]) == 2
    assert len((await api(search, n=1))["entities"]) == 1
    assert (await api(search, s="zzz"))["entities"] == []


async def test_paths_are_the_shortest_over_relations_notes_and_links(api: Any) -> None:
    say = [("Ann", "knows", "Bob"), ("Bob", "owns", "Kiln"), ("Kiln", "made by", "Dunmarrow")]
    for subject, predicate, target in say:
        relation = {"subject": subject, "predicate": predicate, "object": target}
        await api.remember(f"{subject} {predicate} {target}.", relations=[relation])
    query = """query P($a: String!, $b: String!, $h: Int) { paths(from: $a, to: $b, maxHops: $h) {
      relationships nodes { id label kind } } }"""
    paths = (await api(query, a="ann", b="dunmarrow"))["paths"]
    assert paths[0]["relationships"] == ["knows", "owns", "made by"]
    assert [node["label"] for node in paths[0]["nodes"]] == ["Ann", "Bob", "Kiln", "Dunmarrow"]
    assert {node["kind"] for node in paths[0]["nodes"]} == {"entity"}
    assert (await api(query, a="Ann", b="Dunmarrow", h=2))["paths"] == []
    assert (await api(query, a="Ann", b="Bob", h=1))["paths"][0]["relationships"] == ["knows"]
    by_id = [node["id"] for node in paths[0]["nodes"]]
    assert (await api(query, a=by_id[0], b=by_id[-1]))["paths"] == paths
    assert await api.code(query, a="Ann", b="Ann") == "BAD_USER_INPUT"


async def test_the_viewer_and_the_agents(api: Any) -> None:
    query = """{ viewer { user { id name defaultVisibility agents { id } } agent { id role }
      admin audiences } }"""
    assert (await api(query))["viewer"] == {
        "user": {"id": api.user, "name": api.user, "defaultVisibility": "SCOPED", "agents": []},
        "agent": None,
        "admin": True,
        "audiences": 0,
    }
    name = 'mutation N($id: ID!) { registerUser(id: $id, name: "Ann Lee") { id name } }'
    assert (await api(name, id=api.user))["registerUser"] == {"id": api.user, "name": "Ann Lee"}
    agent = """mutation { registerAgent(input: {id: "main", name: "Main", role: ASSISTANT,
      domains: ["*"], canSeePrivate: true}) { id name role domains canSeePrivate writes noteCount
      user { name } } }"""
    made = (await api(agent))["registerAgent"]
    assert (made["name"], made["role"], made["canSeePrivate"]) == ("Main", "ASSISTANT", True)
    assert (made["user"], made["noteCount"]) == ({"name": "Ann Lee"}, 0)
    part = 'mutation { registerAgent(input: {id: "main", domains: ["a", "a/b"]}) { name domains } }'
    assert (await api(part))["registerAgent"] == {"name": "Main", "domains": ["a", "a/b"]}
    await api.as_agent("main").remember("Something.", domain="a")
    seen = (await api.as_agent("main")(query))["viewer"]
    assert seen["agent"] == {"id": "main", "role": "ASSISTANT"}
    assert (seen["admin"], seen["audiences"]) == (False, 1)
    agents = (await api("{ agents { id noteCount } }"))["agents"]
    assert agents == [{"id": "main", "noteCount": 1}]
