"""The start on a graph of its own: migrations once, one embedding model, safe re-embedding, indexes
of words in the form of today."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from race_world import cypher, words_in

from graphmem.ai.hash_embedder import HashEmbedder
from graphmem.app import connect_context, migrations
from graphmem.domain.notes import NoteDraft
from graphmem.domain.profiles.parameters import Profile
from graphmem.errors import IndexMissing, Misconfigured, Unavailable
from graphmem.server import ServerAddress
from graphmem.services import reindexing
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.reindexing import reindex
from graphmem.services.startup import migrate_graph, prepare, require_ready
from graphmem.services.writing import words
from graphmem.services.writing.remember import remember
from graphmem.settings import Settings
from graphmem.store import graph
from graphmem.store import reindexing as store

# The formulas of the others weigh likeness: they give what is there, or nothing, and no error.
BY_WORDS = (Profile.BALANCED, Profile.RELEVANCE, Profile.SIMILARITY)


@pytest.fixture(scope="module")
async def own(settings: Settings, empty_server: ServerAddress) -> AsyncIterator[Context]:
    """A service on a fresh graph, made ready by two replicas at the same time."""
    one, other = HashEmbedder(64), HashEmbedder(64)
    async with (
        asyncio.TaskGroup() as group,
        connect_context(settings, one, empty_server) as context,
    ):
        group.create_task(prepare(context.graph, other, migrations(), context.clock, Path()))
        access = await open_access(context, "me", None, register=True)
        for number in range(5):
            await remember(context, access, NoteDraft(content=f"note {number}"))
        yield context


@pytest.mark.feature("DAEM-36")
async def test_a_second_start_changes_nothing(own: Context, tmp_path: Path):
    await require_ready(own.graph, own.embedder, migrations())
    assert await migrate_graph(own.graph, migrations(), own.clock, tmp_path) == []
    recorded = await store.get_embedding(own.graph)
    await prepare(own.graph, own.embedder, migrations(), own.clock, tmp_path)
    assert await store.get_embedding(own.graph) == recorded
    assert recorded is not None
    assert (recorded.model, recorded.dimension) == (own.embedder.model_id, 64)


async def test_another_model_stops_the_start(own: Context, tmp_path: Path):
    with pytest.raises(Misconfigured, match=r"hash-64 \(64.*hash-128 \(128.*graphmem reindex"):
        await prepare(own.graph, HashEmbedder(128), migrations(), own.clock, tmp_path)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("profile", BY_WORDS)
async def test_words_still_find_where_the_vector_index_is_gone(
    own: Context, k: int, profile: Profile
):
    """Others see that the service is not ready; who asks nevertheless is answered."""
    access = await open_access(own, "me", None)
    asked = RecallRequest(query="note 3", k=k, profile=profile)
    try:
        await store.drop_indexes(own.graph)
        with pytest.raises(Unavailable, match="vector index"):
            await require_ready(own.graph, own.embedder, migrations())
        found = {hit.note.content for hit in (await recall(own, access, asked)).hits}
        assert "note 3" in found or profile is not Profile.BALANCED
        with pytest.raises(IndexMissing):  # what can't be compared is not written
            await remember(own, access, NoteDraft(content="note 6"))
    finally:
        await store.create_indexes(own.graph, 64)
    await own.graph.run("meta/await_indexes", seconds=60)
    await require_ready(own.graph, own.embedder, migrations())


async def test_a_database_that_is_away_is_waited_for_no_longer_than_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(graph, "AWAY_S", 0.5)
    settings = Settings(data=tmp_path, neo4j_uri="bolt://127.0.0.1:9", embedder="hash")
    from graphmem.app import open_context

    with pytest.raises(Unavailable):
        async with open_context(settings):
            pass


async def test_reindexing_makes_the_passages_of_long_notes_again(
    own: Context, monkeypatch: pytest.MonkeyPatch
):
    access = await open_access(own, "long", None, register=True)
    text = (
        "We counted the boxes and wrote the number down. " * 40 + "The pump is called Zorbelline."
    )
    await remember(own, access, NoteDraft(content=text))
    asked = RecallRequest(query="The pump is called Zorbelline.", track=False)
    driver = own.graph._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query("MATCH (p:Passage) DETACH DELETE p")
    access = await open_access(own, "long", None)
    assert [hit.passage for hit in (await recall(own, access, asked)).hits] == [None]
    for letters in (reindexing.LETTERS, 1):  # the second time in place of those that are there
        monkeypatch.setattr(reindexing, "LETTERS", letters)
        sizes = list[int]()

        def tell(size: int, _: int, sizes: list[int] = sizes) -> None:
            sizes.append(size)

        await reindex(own.graph, own.embedder, own.clock, tell)
        assert (max(sizes) == 1) is (letters == 1)
        hit = (await recall(own, access, asked)).hits[0]
        assert hit.passage is not None
        assert "Zorbelline" in hit.passage.text
    count = "MATCH (p:Passage) RETURN count(p) AS parts, count(DISTINCT p.from) AS places"
    row = (await driver.execute_query(count)).records[0]
    assert row["parts"] == row["places"] > 5


async def test_a_new_form_of_word_indexes_is_made_for_all_notes(
    own: Context, monkeypatch: pytest.MonkeyPatch
):
    access = await open_access(own, "words", None, register=True)
    for number in range(5):
        draft = NoteDraft(content=f"Firing {number}.", speaker="Ruta", title="Kiln")
        await remember(own, access, draft)
    monkeypatch.setattr(words, "BATCH", 2)
    finish = words.meta.finish_words

    async def cut_off(*_: object) -> None:
        raise RuntimeError

    async def wrong() -> int:
        query = "MATCH (n:Note {user: 'words'}) RETURN n {.*, embedding: null}"
        notes = [row[0] for row in await cypher(own, query)]
        assert len(notes) == 5
        return sum(note.get("words") != words_in(note) for note in notes)

    async def before() -> None:
        await cypher(own, "MATCH (m:Meta {name: 'words'}) DELETE m")
        await cypher(own, "MATCH (n:Note {user: 'words'}) REMOVE n.words")

    assert await wrong() == 0
    await before()
    assert await wrong() == 5
    monkeypatch.setattr(words.meta, "finish_words", cut_off)
    with pytest.raises(RuntimeError):
        await words.index_old_notes(own.graph)
    assert await wrong() == 0
    monkeypatch.setattr(words.meta, "finish_words", finish)
    assert await words.index_old_notes(own.graph) == 0  # those before it are done
    await before()
    assert await words.index_old_notes(own.graph) >= 5
    assert await wrong() == 0
    assert await words.index_old_notes(own.graph) == 0
