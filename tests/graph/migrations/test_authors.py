"""Notes of before ids belonged to their authors, and before a note kept its past to its readers."""

import json
from collections.abc import Callable
from typing import Any

from neo4j import AsyncGraphDatabase

from graphmem.resources import folder
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.store.migrations import load_migrations

REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { operation noteId } }"
MOVE = (
    "mutation V($id: ID!, $v: Visibility!) { setVisibility(id: $id, visibility: $v) { noteIds } }"
)
REVISE = "mutation R($id: ID!, $c: String) { revise(id: $id, content: $c) { version } }"
LINK = """mutation L($s: ID!, $t: ID!) {
  link(source: $s, target: $t, kind: "why", reason: "because") {
  id } }"""
READ = """query N($x: String!) { note(externalId: $x) { id tags context wordings { content }
  links { kind reason } revisions { version content changes } } events { summary } }"""
# What is kept since, and was not kept then.
FORGET = """MATCH (n:Note {user: $user}) SET n.externalKey = null, n.lentTags = null
WITH n MATCH (n)-[:HAD|TOLD_AS]->(r) SET r.audience = null, r.before = null
WITH n MATCH (e:Event {subjectId: n.id}) SET e.audienceThen = null
WITH n MATCH (n)-[r:LINKS_TO]-() SET r.sourceThen = null, r.targetThen = null"""


async def test_old_notes_keep_their_ids_and_their_past(
    api: Any, context: Context, neo4j_address: ServerAddress, new_user: Callable[[], str]
) -> None:
    person = api.as_user(new_user())
    agent = person.as_agent("a")
    by_agent = {"content": "By the agent.", "externalId": "x", "visibility": "OPEN"}
    made = (await agent(REMEMBER, i=by_agent))["remember"]["noteId"]
    secret = {"content": "A secret.", "externalId": "y", "visibility": "PRIVATE"}
    note = (await person(REMEMBER, i=secret))["remember"]["noteId"]
    await person(LINK, s=note, t=made)
    await person(REVISE, id=note, c="Clean.")
    await person(MOVE, id=note, v="OPEN")
    await person(REVISE, id=note, c="Clean now.")
    uri, auth = neo4j_address.bolt_uri, (neo4j_address.user, neo4j_address.password)
    async with AsyncGraphDatabase.driver(uri, auth=auth) as driver:
        await driver.execute_query(FORGET, user=person.user)
    files = load_migrations(folder("schema") / "migrations")
    for statement in next(each for each in files if each.name == "0012_authors.cypher").statements:
        await context.graph.run_statement(statement)
    again = (await agent(REMEMBER, i=by_agent))["remember"]
    assert again == {"operation": "NOOP", "noteId": made}
    told = await agent(READ, x="y")
    assert "secret" not in json.dumps(told)
    assert "because" not in json.dumps(told)
    assert [r["version"] for r in told["note"]["revisions"]] == [4, 3]
    own = await person(READ, x="y")
    assert [r["content"] for r in own["note"]["revisions"]][-1] == "A secret."
    assert own["note"]["links"] == [{"kind": "why", "reason": "because"}]


async def test_old_writers_have_the_audiences_of_their_notes(
    api: Any, context: Context, neo4j_address: ServerAddress, new_user: Callable[[], str]
) -> None:
    person = api.as_user(new_user())
    for writer in (person, person.as_agent("a")):
        for domain in ("home", "home", "work"):
            await writer.remember(f"{writer.agent} wrote this for {domain}.", domain=domain)
    count = """MATCH (w WHERE w.user = $user OR w.id = $user)-[r:WRITES_FOR]->(:Audience)
        RETURN w.id AS id, count(r) AS n ORDER BY id"""
    uri, auth = neo4j_address.bolt_uri, (neo4j_address.user, neo4j_address.password)
    async with AsyncGraphDatabase.driver(uri, auth=auth) as driver:

        async def counted() -> list[Any]:
            return [
                each.values() for each in (await driver.execute_query(count, user=person.user))[0]
            ]

        new = await counted()
        assert new == [["a", 2], [person.user, 2]]
        forget = "MATCH (w WHERE w.user = $user OR w.id = $user)-[r:WRITES_FOR]->() DELETE r"
        await driver.execute_query(forget, user=person.user)
        assert await counted() == []
        files = load_migrations(folder("schema") / "migrations")
        migration = next(each for each in files if each.name == "0016_writers_audiences.cypher")
        for statement in migration.statements:
            await context.graph.run_statement(statement)
        assert await counted() == new
