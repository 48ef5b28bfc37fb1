"""The start on a graph of its own: migrations once, one embedding model, safe re-embedding."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from graphmem.ai.hash_embedder import HashEmbedder
from graphmem.app import connect_context, migrations
from graphmem.domain.notes import NoteDraft
from graphmem.errors import Misconfigured, Unavailable
from graphmem.server import ServerAddress
from graphmem.services import startup
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.startup import migrate_graph, prepare, reindex, require_ready
from graphmem.services.writing.remember import remember
from graphmem.settings import Settings
from graphmem.store import graph, meta


@pytest.fixture(scope="module")
async def own(settings: Settings, empty_server: ServerAddress) -> AsyncIterator[Context]:
    """A service on a fresh graph, made ready by two replicas at the same time."""
    one, other = HashEmbedder(64), HashEmbedder(64)
    async with (
        asyncio.TaskGroup() as group,
        connect_context(settings, one, empty_server) as context,
    ):
        group.create_task(prepare(context.graph, other, migrations(), context.clock))
        access = await open_access(context, "me", None, register=True)
        for number in range(5):
            await remember(context, access, NoteDraft(content=f"note {number}"))
        yield context


class Interrupted(HashEmbedder):
    """Embeds one batch, then fails as if the process had been killed."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.batches = 0

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches += 1
        if self.batches > 1:
            raise Unavailable("killed")
        return await super().embed_documents(texts)


async def dimensions(context: Context) -> set[int]:
    """The sizes of the vectors that the notes have."""
    rows = await context.graph.read(
        "stats/notes", audiences=await audiences(context), now=context.clock()
    )
    texts = 5 * len("note 0")
    return {(row["bytes"] - texts) // 5 // 4 for row in rows}


async def audiences(context: Context) -> list[str]:
    return list((await open_access(context, "me", None)).by_name)


@pytest.mark.feature("DAEM-36")
async def test_a_second_start_changes_nothing(own: Context):
    await require_ready(own.graph, own.embedder, migrations())
    assert await migrate_graph(own.graph, migrations(), own.clock) == []
    recorded = await meta.get_embedding(own.graph)
    await prepare(own.graph, own.embedder, migrations(), own.clock)
    assert await meta.get_embedding(own.graph) == recorded
    assert recorded is not None
    assert (recorded.model, recorded.dimension) == (own.embedder.model_id, 64)


async def test_another_model_stops_the_start(own: Context):
    with pytest.raises(Misconfigured, match=r"hash-64 \(64.*hash-128 \(128.*graphmem reindex"):
        await prepare(own.graph, HashEmbedder(128), migrations(), own.clock)


async def test_reindexing_can_be_killed_and_goes_on(own: Context, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(startup, "BATCH", 2)
    with pytest.raises(Unavailable):
        await reindex(own.graph, Interrupted(128), own.clock)
    for embedder in (HashEmbedder(64), HashEmbedder(128)):  # neither may start now
        with pytest.raises(Misconfigured, match="was not finished"):
            await prepare(own.graph, embedder, migrations(), own.clock)
    told: list[int] = []
    assert await reindex(own.graph, HashEmbedder(128), own.clock, told.append) == 3
    assert told == [2, 1]
    assert await dimensions(own) == {128}
    await prepare(own.graph, HashEmbedder(128), migrations(), own.clock)
    with pytest.raises(Misconfigured, match="graphmem reindex"):
        await prepare(own.graph, own.embedder, migrations(), own.clock)


async def test_reindexing_back_embeds_everything_again(own: Context):
    assert await reindex(own.graph, own.embedder, own.clock) == 5
    assert await dimensions(own) == {64}
    await require_ready(own.graph, own.embedder, migrations())


@pytest.mark.usefixtures("sockets_left_open")
async def test_a_database_that_is_away_is_waited_for_no_longer_than_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(graph, "AWAY_S", 0.5)
    settings = Settings(data=tmp_path, neo4j_uri="bolt://127.0.0.1:9", embedder="hash")
    from graphmem.app import open_context

    with pytest.raises(Unavailable):
        async with open_context(settings):
            pass
