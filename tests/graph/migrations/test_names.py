"""Entities of before each name was one of its own."""

from typing import Any

from neo4j import AsyncGraphDatabase

from graphmem.resources import folder
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.store.migrations import load_migrations

# One entity for all its names, those of an absorbed one with that as their home.
BEFORE = """MATCH (said:Note {user: $user, content: 'IBM sells.'})
MATCH (old:Note {user: $user, content: 'Old Blue pays Ada.'})
MATCH (found:Note {user: $user, content: 'Big Blue was seen.'})
CREATE (ibm:Entity {id: $user + '-1', user: $user, key: 'ibm', name: 'IBM', type: 'firm',
    cased: true, createdAt: said.createdAt})
CREATE (part:Entity {id: $user + '-2', user: $user, name: 'Old Blue', type: 'firm', cased: true,
    createdAt: old.createdAt})
CREATE (ada:Entity {id: $user + '-3', user: $user, key: 'ada', name: 'Ada', type: 'person',
    cased: true, createdAt: old.createdAt})
CREATE (:EntityName {user: $user, key: 'ibm', joined: 'ibm'})-[:NAMES]->(ibm)
CREATE (:EntityName {user: $user, key: 'big blue', joined: 'bigblue'})-[:NAMES]->(ibm)
CREATE (:EntityName {user: $user, key: 'old blue', home: part.id})-[:NAMES]->(ibm)
CREATE (:EntityName {user: $user, key: 'ada', joined: 'ada'})-[:NAMES]->(ada)
CREATE (ibm)-[:ABSORBED {id: $user + '-m', user: $user, at: datetime(), by: 'user:' + $user,
    score: 1.0, undo: 'old blue'}]->(part)
CREATE (said)-[:MENTIONS {home: '', count: 1, name: 'IBM', type: 'firm', keys: ['ibm', 'big blue'],
    names: ['IBM', 'Big Blue'], given: true}]->(ibm)
CREATE (old)-[:MENTIONS {home: part.id, count: 1, name: 'Old Blue', type: 'firm',
    keys: ['old blue'], names: ['Old Blue'], given: true}]->(ibm)
CREATE (old)-[:MENTIONS {home: '', count: 1, name: 'Ada', type: 'person', keys: ['ada'],
    names: ['Ada'], given: true}]->(ada)
CREATE (found)-[:MENTIONS {home: '', count: 1, name: 'Big Blue', type: 'thing',
    keys: ['big blue'], names: ['Big Blue'], given: false}]->(ibm)
CREATE (ibm)-[:RELATES_TO {noteId: old.id, predicate: 'pays', subjectHome: part.id, objectHome: '',
    audience: old.audience, status: old.status, expiresAt: old.expiresAt, confidence: 0.9,
    createdAt: old.createdAt}]->(ada)"""
MANY = """mutation M($n: [RememberInput!]!) { rememberMany(input: {notes: $n, mode: VERBATIM}) {
  results { error { message } } } }"""
ENTITY = """query E($name: String!) { entity(name: $name) { id name aliases noteCount
  relations { predicate subject { name } object { name } }
  mergedFrom { id mergedName undone } } }"""
UNDO = "mutation U($id: ID!) { undoEntityMerge(id: $id) { name } }"


async def test_old_names_become_entities_with_what_was_said_by_them(
    api: Any, context: Context, neo4j_address: ServerAddress
) -> None:
    texts = ("IBM sells.", "Old Blue pays Ada.", "Big Blue was seen.")
    await api(MANY, n=[{"content": text} for text in texts])
    uri, auth = neo4j_address.bolt_uri, (neo4j_address.user, neo4j_address.password)
    async with AsyncGraphDatabase.driver(uri, auth=auth) as driver:
        await driver.execute_query(BEFORE, user=api.user)
    files = load_migrations(folder("schema") / "migrations")
    moved = next(each for each in files if each.name == "0014_names_to_entities.cypher")
    for _ in range(2):  # a start that was cut off repeats it
        for statement in moved.statements:
            await context.graph.run_statement(statement)
    one = (await api(ENTITY, name="Old Blue"))["entity"]
    assert (one["id"], one["noteCount"]) == (f"{api.user}:ibm", 3)
    assert {one["name"], *one["aliases"]} == {"IBM", "Big Blue", "Old Blue"}
    merges = [(each["mergedName"], each["undone"]) for each in one["mergedFrom"]]
    assert merges == [("Old Blue", False)]
    assert [each["predicate"] for each in one["relations"]] == ["pays"]
    await api(UNDO, id=one["mergedFrom"][0]["id"])
    apart, ibm = [(await api(ENTITY, name=name))["entity"] for name in ("Old Blue", "Big Blue")]
    assert (apart["aliases"], apart["noteCount"], ibm["noteCount"]) == ([], 1, 2)
    assert [each["subject"]["name"] for each in apart["relations"]] == ["Old Blue"]
    assert ibm["relations"] == []
