"""Notes of before they had a name to be drawn by."""

from typing import Any

from race_world import cypher

from graphmem.resources import folder
from graphmem.services.context import Context
from graphmem.store.migrations import load_migrations

FORGET = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { noteId } }"
NAMES = "MATCH (n:Note {user: $user}) RETURN n.name ORDER BY n.id"
REVISE = """mutation R($id: ID!, $c: String, $t: String) {
  revise(id: $id, content: $c, title: $t) { version } }"""
BEFORE = "MATCH (n:Note {user: $user}) REMOVE n.name"


async def test_old_notes_get_the_names_that_new_ones_have(api: Any, context: Context) -> None:
    long = "The tower of the old mill is empty,\nand its stairs are " + "very " * 20 + "steep."
    for more in ({"content": "The kiln is blue."}, {"content": long}):
        await api(REMEMBER, i=more)
    await api(REMEMBER, i={"content": "The barn is red.", "title": "Barn"})
    made = await cypher(context, NAMES, user=api.user)
    assert made == [["The kiln is blue."], [long.replace("\n", " ")[:60]], ["Barn"]]
    await cypher(context, BEFORE, user=api.user)
    files = load_migrations(folder("schema") / "migrations")
    naming = next(each for each in files if each.name == "0040_names_of_notes.cypher")
    for statement in naming.statements:
        await context.graph.run_statement(statement)
    assert await cypher(context, NAMES, user=api.user) == made


async def test_the_name_follows_title_and_text_and_goes_with_them(
    api: Any, context: Context
) -> None:
    note = (await api(REMEMBER, i={"content": "The kiln is blue."}))["remember"]["noteId"]
    await api(REVISE, id=note, c="The kiln is green.")
    assert await cypher(context, NAMES, user=api.user) == [["The kiln is green."]]
    await api(REVISE, id=note, t="Kiln")
    await api(REVISE, id=note, c="The kiln is quorvexil.")
    assert await cypher(context, NAMES, user=api.user) == [["Kiln"]]
    await api(FORGET, id=note)
    assert await cypher(context, NAMES, user=api.user) == []
