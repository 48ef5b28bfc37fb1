"""Changing, linking, forgetting and pinning notes over GraphQL."""

import asyncio
from typing import Any

import pytest
from note_requests import EVENTS, FORGET, LINK, NOTE, PAGE, REVISE, note_of, remember_all

LINKS = "query L($id: ID!) { note(id: $id) { links { id source { id } target { id } } } }"


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
    note = (await api.remember("Text of Orla.", title="Old", tags=["a"], importance=0.5))["note"][
        "id"
    ]
    before = await note_of(api, note)
    revised = (await api(REVISE, id=note, title="Halden Works", tags=["b"], importance=1))["revise"]
    assert (revised["title"], revised["tags"], revised["version"]) == ("Halden Works", ["b"], 2)
    after = await note_of(api, note)
    same = before.keys() - {"title", "tags", "importance", "version", "updatedAt", "revisions"}
    same -= {"activation", "retention"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert after["revisions"][0]["changes"] == {
        "title": ["Old", "Halden Works"],
        "tags": [["a"], ["b"]],
        "importance": [0.5, 1.0],
    }
    nothing = (await api(REVISE, id=note, title="Halden Works"))["revise"]
    assert nothing["version"] == 2
    assert await api.code(REVISE, id=note) == "BAD_USER_INPUT"
    entities = "query N($id: ID!) { note(id: $id) { entities { name } } }"
    named = (await api(entities, id=note))["note"]["entities"]
    assert {"name": "Halden Works"} in named
    assert {"name": "Old"} not in named


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


@pytest.mark.feature("MOLT-33")
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
    assert {"Note", "Revision", "Entity", "MENTIONS", "RELATES_TO"} <= places
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
    [gone] = events
    assert (gone["type"], gone["data"]["operation"], gone["data"]["summary"]) == (
        "DELETE",
        "DELETE",
        None,
    )
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
    note = (await api.remember("For all.", visibility="SCOPED"))["note"]["id"]
    pin = "mutation P($id: ID!) { pin(id: $id, visibility: OPEN) { visibility version pinned } }"
    assert (await api(pin, id=note))["pin"] == {"visibility": "OPEN", "version": 2, "pinned": True}
    read = await note_of(api, note)
    assert (read["visibility"], read["version"], len(read["revisions"])) == ("OPEN", 2, 2)


async def test_the_name_in_neo4j_browser_follows_title_and_text_and_goes_with_them(
    api: Any, cypher: Any
) -> None:
    names = "MATCH (n:Note {user: $user}) RETURN n.name AS name"
    long = "The tower of the old mill is empty,\nand its stairs are very, very, very steep."

    async def name() -> list[str]:
        return [row["name"] for row in await cypher(names, user=api.user)]

    note = (await api.remember(long))["note"]["id"]
    assert await name() == [long.replace("\n", " ")[:60]]
    await api(REVISE, id=note, content="The kiln is green.")
    assert await name() == ["The kiln is green."]
    await api(REVISE, id=note, title="Kiln")
    await api(REVISE, id=note, content="The kiln is quorvexil.")
    assert await name() == ["Kiln"]
    await api(FORGET, id=note, permanent=True)
    assert await name() == []


async def test_writers_are_tied_to_each_audience_that_they_write_for_once(
    api: Any, cypher: Any
) -> None:
    """Their number is limited."""
    for writer in (api, api.as_agent("a")):
        for domain in ("home", "home", "work"):
            await writer.remember(f"{writer.agent} wrote this for {domain}.", domain=domain)
    count = """MATCH (w WHERE w.user = $user OR w.id = $user)-[r:WRITES_FOR]->(:Audience)
        RETURN w.id AS id, count(r) AS audiences"""
    counted = {row["id"]: row["audiences"] for row in await cypher(count, user=api.user)}
    assert counted == {"a": 2, api.user: 2}
