"""Notes of before their words were indexed."""

from typing import Any

import pytest
from neo4j import AsyncGraphDatabase
from race_world import words_in

from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.services.writing import words

REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { noteId } }"
BEFORE = """MATCH (m:Meta {name: 'words'}) DELETE m WITH count(*) AS gone
MATCH (n:Note {user: $user}) REMOVE n.words"""
NOTES = "MATCH (n:Note {user: $user}) RETURN n {.*, embedding: null} AS note"


async def test_old_notes_get_the_index_that_new_ones_have(
    api: Any, context: Context, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = {"occurredAt": "2026-05-07T09:00:00Z", "speaker": "Ruta", "title": "Kiln"}
    for i in range(5):
        await api(REMEMBER, i={"content": f"Firing number {i}.", "externalId": f"{i}", **at})
    uri, auth = neo4j_address.bolt_uri, (neo4j_address.user, neo4j_address.password)
    async with AsyncGraphDatabase.driver(uri, auth=auth) as driver:

        async def wrong() -> int:
            rows = (await driver.execute_query(NOTES, user=api.user)).records
            assert len(rows) == 5
            return sum(row["note"].get("words") != words_in(row["note"]) for row in rows)

        assert await wrong() == 0
        await driver.execute_query(BEFORE, user=api.user)
        assert await wrong() == 5
        monkeypatch.setattr(words, "BATCH", 2)
        finish = words.meta.finish_words

        async def cut_off(*_: object) -> None:
            raise RuntimeError

        monkeypatch.setattr(words.meta, "finish_words", cut_off)
        with pytest.raises(RuntimeError):
            await words.index_old_notes(context.graph)
        assert await wrong() == 0
        monkeypatch.setattr(words.meta, "finish_words", finish)
        assert await words.index_old_notes(context.graph) == 0  # those before it are done
        await driver.execute_query(BEFORE, user=api.user)
        assert await words.index_old_notes(context.graph) >= 5
        assert await wrong() == 0
        assert await words.index_old_notes(context.graph) == 0
