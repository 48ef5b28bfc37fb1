"""A revised text is read anew: names, relations, keywords, tags and context are those of the new
text, and what the writer gave stays."""

from typing import Any

import pytest

REVISE = """mutation V($id: ID!, $content: String, $title: String, $tags: [String!],
  $domain: String) { revise(id: $id, content: $content, title: $title, tags: $tags,
  domain: $domain) { id version content context keywords tags } }"""
NOTE = """query N($id: ID!) { note(id: $id) { content context keywords tags
  entities { name type noteCount } } }"""
ENTITY = """query E($name: String!) { entity(name: $name) { id name noteCount notes { id }
  relations { predicate subject { name } object { name } firstSeenAt notes { id } } } }"""
MANY = """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results {
  operation note { id } error { message } } } }"""
OLD = "Ada Kessler works for Brightwater Systems in Lisbon and leads the Halden project."
NEW = "Boris Yelnik works for Cobalt Foundry in Tallinn and leads the Meridian project."


async def named(api: Any, note: str) -> set[str]:
    return {each["name"] for each in (await api(NOTE, id=note))["note"]["entities"]}


async def entity(api: Any, name: str) -> dict[str, Any] | None:
    answer = await api.post(ENTITY, name=name)
    codes = {each["extensions"]["code"] for each in answer.get("errors", ())}
    assert codes <= {"NOT_FOUND"}
    return answer["data"]["entity"]


@pytest.mark.feature("MUMA-17", "MUMA-18")
async def test_the_names_and_words_are_those_of_the_new_text(api: Any) -> None:
    fresh = (await api.remember(NEW))["note"]
    expected = (await api(NOTE, id=fresh["id"]))["note"]
    other = api.as_user(f"{api.user}-2")
    note = (await other.remember(OLD))["note"]
    assert {"Ada Kessler", "Brightwater Systems"} <= await named(other, note["id"])
    revised = (await other(REVISE, id=note["id"], content=NEW))["revise"]
    assert revised["version"] == 2
    after = (await other(NOTE, id=note["id"]))["note"]
    # As a note that was written with this text from the start.
    assert {**after, "entities": sorted(e["name"] for e in after["entities"])} == {
        **expected,
        "entities": sorted(e["name"] for e in expected["entities"]),
    }
    found = await entity(other, "Cobalt Foundry")
    assert found is not None
    assert [each["id"] for each in found["notes"]] == [note["id"]]
    for gone in ("Ada Kessler", "Brightwater Systems", "Lisbon"):
        assert await entity(other, gone) is None
    hits = await other.recall("What do we know about Cobalt Foundry?")
    assert [hit["note"]["id"] for hit in hits] == [note["id"]]


async def relations_of(cypher: Any, note: str) -> list[dict[str, Any]]:
    return await cypher(
        "MATCH (s:Entity)-[r:RELATES_TO {noteId: $id}]->(o:Entity) RETURN s.name AS s, "
        "r.predicate AS p, o.name AS o, r.audience AS audience, r.status AS status, "
        "r.old AS old ORDER BY s, p, o",
        id=note,
    )


@pytest.mark.feature("MUMA-17")
async def test_relations_follow_the_text_and_its_readers(api: Any, cypher: Any) -> None:
    note = (await api.remember(OLD, domain="work"))["note"]["id"]
    before = await relations_of(cypher, note)
    assert {"Ada Kessler"} <= {row["s"] for row in before}
    await api(REVISE, id=note, content=NEW, domain="work/new")
    after = await relations_of(cypher, note)
    assert {(row["s"], row["p"]) for row in after} >= {("Boris Yelnik", before[0]["p"])}
    assert not {row["s"] for row in before} & {row["s"] for row in after}
    node = await cypher("MATCH (n:Note {id: $id}) RETURN n.audience AS a, n.status AS s", id=note)
    assert {(row["audience"], row["status"]) for row in after} == {(node[0]["a"], node[0]["s"])}
    marks = "MATCH (n:Note {id: $id})-[m:MENTIONS]->() WHERE m.old RETURN m"
    assert await cypher(marks, id=note) == []
    assert all(row["old"] is None for row in after)


async def test_what_another_note_backs_stays(api: Any) -> None:
    other = (await api.remember("Brightwater Systems sells pumps to Ada Kessler."))["note"]["id"]
    note = (await api.remember(OLD))["note"]["id"]
    before = await entity(api, "Brightwater Systems")
    assert before is not None
    assert before["noteCount"] == 2
    await api(REVISE, id=note, content=NEW)
    after = await entity(api, "Brightwater Systems")
    assert after is not None
    assert (after["id"], [each["id"] for each in after["notes"]]) == (before["id"], [other])
    assert await entity(api, "Lisbon") is None


async def test_what_stays_in_the_text_stays_the_same_entity(api: Any, cypher: Any) -> None:
    note = (await api.remember(OLD))["note"]["id"]
    before = await entity(api, "Ada Kessler")
    assert before is not None
    counts = "MATCH (:Note {id: $id})-[m:MENTIONS]->(e) RETURN e.name AS name, m.count AS count"
    counted = await cypher(counts, id=note)
    for text in (OLD.replace("Lisbon", "Porto"), OLD):
        await api(REVISE, id=note, content=text)
    after = await entity(api, "Ada Kessler")
    assert after is not None
    assert after["id"] == before["id"]
    assert after["relations"] == before["relations"]  # since when it is known, too
    again = await cypher(counts, id=note)
    assert sorted(again, key=str) == sorted(counted, key=str)


@pytest.mark.feature("MUMA-17")
async def test_what_the_writer_gave_stays(api: Any) -> None:
    note = (
        await api.remember(
            OLD,
            tags=["mine"],
            keywords=["own"],
            title="Old Halden",
            entities=[{"name": "Ada Kessler", "type": "boss"}, {"name": "Zeno Works"}],
            relations=[{"subject": "Zeno Works", "predicate": "pays", "object": "Quill Bank"}],
        )
    )["note"]["id"]
    await api(REVISE, id=note, content=NEW)
    after = (await api(NOTE, id=note))["note"]
    assert (after["tags"], after["keywords"]) == (["mine"], ["own"])
    assert after["context"].startswith("Boris Yelnik")
    types = {each["name"]: each["type"] for each in after["entities"]}
    assert types["Ada Kessler"] == "boss"
    assert {"Old Halden", "Zeno Works", "Quill Bank", "Cobalt Foundry"} <= types.keys()
    assert not {"Brightwater Systems", "Lisbon"} & types.keys()
    zeno = await entity(api, "Zeno Works")
    assert zeno is not None
    assert [(r["predicate"], r["object"]["name"]) for r in zeno["relations"]] == [
        ("pays", "Quill Bank")
    ]
    # Tags that a revise gives are given; a text of their own does not take them away.
    await api(REVISE, id=note, content=OLD, tags=["later"])
    assert (await api(REVISE, id=note, content=NEW))["revise"]["tags"] == ["later"]


async def test_tags_told_again_stay_and_tags_of_the_rules_go(api: Any) -> None:
    made = (await api.remember(OLD))["note"]
    again = await api.remember(OLD, tags=["told"])
    assert (again["operation"], again["note"]["id"]) == ("NOOP", made["id"])
    assert "told" in again["note"]["tags"]
    tags = (await api(REVISE, id=made["id"], content=NEW))["revise"]["tags"]
    assert tags == ["told"]


@pytest.mark.feature("MUMA-17")
async def test_a_batch_leaves_the_same_behind_as_single_notes(api: Any, cypher: Any) -> None:
    drafts = [
        {"content": OLD},
        {"content": OLD, "tags": ["told"]},
        {"content": "The kiln of Zeno Works is blue.", "entities": [{"name": "Zeno Works"}]},
    ]
    other = api.as_user(f"{api.user}-2")
    results = (await api(MANY, i={"notes": drafts}))["rememberMany"]["results"]
    batch = [result["note"]["id"] for result in results]
    single = [(await other.remember(d.pop("content"), **d))["note"]["id"] for d in drafts]
    told = (
        "UNWIND $ids AS id MATCH (n:Note {id: id}) "
        "RETURN n.givenTags AS tags, n.givenKeywords AS keywords, "
        "COLLECT { MATCH (n)-[m:MENTIONS]->() RETURN [m.name, m.given, m.ofText] ORDER BY m.name } "
        "AS names, COLLECT { MATCH (s)-[r:RELATES_TO {noteId: id}]->(o) "
        "RETURN [s.name, r.predicate, o.name, r.ofText] ORDER BY s.name, o.name } AS relations"
    )
    one, many = await cypher(told, ids=single), await cypher(told, ids=batch)
    assert one == many
    assert one[0]["tags"] == ["told"]
    for client, ids in ((api, batch), (other, single)):
        await client(REVISE, id=ids[0], content=NEW)
    assert await cypher(told, ids=single) == await cypher(told, ids=batch)


@pytest.mark.feature("MUMA-17")
async def test_a_verbatim_note_keeps_its_words_and_finds_known_names(api: Any) -> None:
    await api.remember("Cobalt Foundry casts bells.", entities=[{"name": "Cobalt Foundry"}])
    await api.remember("Zeno Works fires kilns.", entities=[{"name": "Zeno Works"}])
    said = {"content": "Zeno Works was here.", "tags": ["log"], "keywords": ["k"]}
    results = (await api(MANY, i={"notes": [said], "mode": "VERBATIM"}))["rememberMany"]["results"]
    note = results[0]["note"]["id"]
    assert await named(api, note) == {"Zeno Works"}
    await api(REVISE, id=note, content="Cobalt Foundry was here with Boris Yelnik.")
    after = (await api(NOTE, id=note))["note"]
    assert {each["name"] for each in after["entities"]} == {"Cobalt Foundry"}
    assert (after["tags"], after["keywords"], after["context"]) == (["log"], ["k"], None)
    zeno = await entity(api, "Zeno Works")
    assert zeno is not None
    assert zeno["noteCount"] == 1


@pytest.mark.feature("MUMA-21")
async def test_a_note_that_grew_is_read_anew(api: Any) -> None:
    made = (await api.remember("The Halden project uses Neo4j.", kind="SEMANTIC"))["note"]
    longer = "The Halden project uses Neo4j with two replicas in Lisbon."
    grown = await api.remember(longer, kind="SEMANTIC")
    assert (grown["operation"], grown["note"]["id"]) == ("UPDATE", made["id"])
    assert {"replicas", "lisbon"} <= set(grown["note"]["keywords"])
    assert grown["note"]["context"] == longer
    assert {"Halden", "Neo4j", "Lisbon"} <= await named(api, made["id"])


@pytest.mark.feature("MUMA-21")
@pytest.mark.parametrize("batch", [False, True])
async def test_keywords_that_were_given_stay_when_a_note_grows(api: Any, batch: bool) -> None:
    longer = "The Halden project uses Neo4j with two replicas in Lisbon."
    drafts: list[dict[str, Any]] = [
        {"content": "The Halden project uses Neo4j.", "kind": "SEMANTIC", "keywords": ["own"]},
        {"content": longer, "kind": "SEMANTIC"},
    ]
    if batch:
        await api(MANY, i={"notes": drafts})
    else:
        for draft in drafts:
            await api.remember(draft.pop("content"), **draft)
    listed = await api("{ notes(first: 5) { nodes { id content keywords } } }")
    (node,) = listed["notes"]["nodes"]
    assert (node["content"], node["keywords"]) == (longer, ["own"])
    after = (await api(REVISE, id=node["id"], content=NEW))["revise"]
    assert after["keywords"] == ["own"]


async def test_a_failed_revise_reads_nothing_anew(api: Any, cypher: Any) -> None:
    note = (await api.remember(OLD))["note"]["id"]
    before = await named(api, note), await relations_of(cypher, note)
    wrong = """mutation V($id: ID!, $c: String) {
      revise(id: $id, content: $c, expectedVersion: 9) { id } }"""
    assert await api.code(wrong, id=note, c=NEW) == "CONFLICT"
    assert (await named(api, note), await relations_of(cypher, note)) == before
    assert await entity(api, "Cobalt Foundry") is None


@pytest.mark.feature("MUMA-120")
async def test_a_reader_sees_only_what_readable_notes_say_after_a_revise(api: Any) -> None:
    """The names of a private text reach nobody else by way of a revise."""
    await api('mutation { registerAgent(input: {id: "a"}) { id } }')
    agent = api.as_agent("a")
    secret = (await api.remember(OLD, visibility="PRIVATE"))["note"]["id"]
    shown = (await api.remember("The bells are cast.", visibility="OPEN"))["note"]["id"]
    await api(REVISE, id=secret, content=NEW)
    await api(REVISE, id=shown, content="The bells are cast at last.")
    for name in ("Cobalt Foundry", "Boris Yelnik", "Ada Kessler"):
        assert await entity(agent, name) is None
    assert await entity(api, "Cobalt Foundry") is not None
