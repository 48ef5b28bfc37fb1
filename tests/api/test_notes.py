"""Remembering, reading and changing notes over GraphQL."""

from typing import Any

import pytest


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
