"""Remembering notes, keys and expiry, and lists of notes, over GraphQL."""

import asyncio
from typing import Any

import pytest
from note_requests import EVENTS, FORGET, LINK, MANY, NOTE, PAGE, REVISE, note_of, remember_all

ALL = """query A($after: String) { notes(first: 500, after: $after) {
  edges { node { id content tier } } pageInfo { hasNextPage endCursor } } }"""


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
    assert "Halden" in [entity["name"] for entity in note["entities"]]
    assert note["activation"] > 0
    assert note["accessCount"] == 0


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
        {"version": 1, "at": note["createdAt"], "actor": "bot:main", "content": text}
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
        {"visibility": "PRIVATE"},
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


@pytest.mark.feature("TIER-3")
async def test_a_thousand_texts_come_out_as_they_came_in(api: Any) -> None:
    texts = [
        f"{i % 7}  kilns\n\t{chr(0x61 + i % 26)}é🔥 «{i * 7919}» said twice." for i in range(998)
    ]
    texts += ["said twice"] * 2
    notes = [{"content": text} for text in texts]
    ids = await remember_all(api, notes[:500], mode="VERBATIM")
    ids += await remember_all(api, notes[500:], mode="VERBATIM")
    found: dict[str, Any] = {}
    after = None
    while True:
        page = (await api(ALL, after=after))["notes"]
        found |= {edge["node"]["id"]: edge["node"] for edge in page["edges"]}
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]
    assert [found[i]["content"] for i in ids] == texts
    assert {note["tier"] for note in found.values()} == {"DAILY"}


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
                RETURN n.content AS content, e.key AS key, m.count AS count, m.name AS name,
                m.type AS type, m.given AS given, m.keys AS keys ORDER BY content, key""",
                """MATCH (e:Entity {user: $user})-[:ALSO_CALLED]->(other) RETURN e.key AS key,
                other.key AS other ORDER BY key, other""",
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
async def test_an_expired_note_is_gone_from_every_read(place: Any) -> None:
    opened = await place()
    api = opened.api
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
    opened.clock.move(hours=1.1 / 3600)
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


async def test_keys_of_two_expired_notes_can_be_had_by_one(place: Any) -> None:
    opened = await place()
    api = opened.api
    await api.remember("One.", ttlSeconds=1, externalId="x")
    await api.remember("Two.", ttlSeconds=1, idempotencyKey="k")
    opened.clock.move(hours=1.1 / 3600)
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
    first = {"tags": ["x", "y"], "title": "The Heading", "kind": "SEMANTIC"}
    await api.remember("1 one", domain="a/b", visibility="SCOPED", **first)
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
