"""Notes of before the label Current."""

from typing import Any

from neo4j import AsyncGraphDatabase
from race_world import is_current

from graphmem.resources import folder
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.store.migrations import load_migrations

REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { noteId } }"
FORGET = "mutation F($id: ID!) { forget(id: $id, confirm: true) { forgotten } }"
BEFORE = "MATCH (n:Note {user: $user}) REMOVE n:Current"
NOTES = "MATCH (n:Note {user: $user}) RETURN n {.*, embedding: null} AS note, n:Current AS current"


async def test_old_notes_are_marked_as_new_ones_are(
    api: Any, context: Context, neo4j_address: ServerAddress
) -> None:
    for more in ({}, {"expiresAt": "2090-01-01T00:00:00Z"}, {"validTo": "2090-01-01T00:00:00Z"}):
        await api(REMEMBER, i={"content": f"A note {len(more)} {more}.", **more})
    archived = (await api(REMEMBER, i={"content": "Put away."}))["remember"]["noteId"]
    await api(FORGET, id=archived)
    uri, auth = neo4j_address.bolt_uri, (neo4j_address.user, neo4j_address.password)
    files = load_migrations(folder("schema") / "migrations")
    marking = next(each for each in files if each.name == "0018_current_notes.cypher")
    async with AsyncGraphDatabase.driver(uri, auth=auth) as driver:
        for old in (False, True, False):
            if old:
                await driver.execute_query(BEFORE, user=api.user)
                for statement in marking.statements:
                    await context.graph.run_statement(statement)
            rows = (await driver.execute_query(NOTES, user=api.user)).records
            assert [row["current"] for row in rows] == [is_current(row["note"]) for row in rows]
            assert sum(row["current"] for row in rows) == 1
