"""Another embedding model takes the place of the one in use while services run: what is written
meanwhile has its vectors, no slot ever has those of two models, and one can go back.

The tests follow each other on one graph."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from graphmem.ai.hash_embedder import HashEmbedder
from graphmem.app import connect_context, migrations
from graphmem.domain.notes import Note, NoteDraft
from graphmem.domain.visibility import Visibility
from graphmem.errors import Conflict, Misconfigured, Unavailable
from graphmem.server import ServerAddress
from graphmem.services import reindexing
from graphmem.services.actors import open_access
from graphmem.services.backups.restoring import restore_backup
from graphmem.services.backups.writing import write_backup
from graphmem.services.context import Access, Context
from graphmem.services.feedback import give_feedback
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.reindexing import drop, read_state, reindex
from graphmem.services.startup import prepare, require_ready
from graphmem.services.verifying import verify
from graphmem.services.writing.changing import Edit, revise
from graphmem.services.writing.remember import remember
from graphmem.services.writing.visibility import set_note_visibility
from graphmem.settings import Settings
from graphmem.store import reindexing as store
from graphmem.store.graph import Graph
from graphmem.store.vector_slots import VectorSlot

pytestmark = pytest.mark.timeout(900)
FIRST, SECOND, THIRD = HashEmbedder(64), HashEmbedder(128), HashEmbedder(32)
LONG = "We counted the boxes and wrote the number down. " * 40 + "The pump is called Zorbelline."
Opened = AbstractAsyncContextManager[Context]


@dataclass
class Steps(HashEmbedder):
    """Does something of the test's before a batch of notes is embedded: they were read already."""

    dimension_: int
    before: list[Callable[[], Awaitable[Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.dimension_)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if self.before:
            await self.before.pop(0)()
        return await super().embed_documents(texts)


@pytest.fixture(scope="module")
def opening(settings: Settings, empty_server: ServerAddress) -> Callable[[HashEmbedder], Opened]:
    """Starts a service with a model."""
    return lambda embedder: connect_context(settings, embedder, empty_server)


@pytest.fixture(scope="module")
async def old(opening: Callable[[HashEmbedder], Opened]) -> AsyncIterator[Context]:
    """A service with the first model, which runs until it is closed."""
    async with opening(FIRST) as context:
        access = await open_access(context, "me", None, register=True)
        for number in range(5):
            await remember(context, access, NoteDraft(content=f"note {number}"))
        access = await open_access(context, "me", None)
        await remember(context, access, NoteDraft(content=LONG))
        answer = await recall(context, access, RecallRequest(query="note 3"))
        await give_feedback(context, access, answer.id, [answer.hits[0].note.id], helpful=True)
        yield context


async def me(context: Context) -> Access:
    return await open_access(context, "me", None)


def command(context: Context) -> Graph:
    """The graph as a command opens it, which writes vectors of any model."""
    graph = context.graph.in_slot(VectorSlot.FIRST)
    graph._serving = None  # pyright: ignore[reportPrivateUsage]
    return graph


async def tell(context: Context, content: str) -> Note:
    made = (await remember(context, await me(context), NoteDraft(content=content))).note
    assert made is not None
    return made


async def found(context: Context, query: str) -> list[str]:
    asked = RecallRequest(query=query, track=False)
    return [hit.note.content for hit in (await recall(context, await me(context), asked)).hits]


async def rows(graph: Graph, text: str, **given: object) -> list[Any]:
    driver = graph._driver  # pyright: ignore[reportPrivateUsage]
    return [each.values() for each in (await driver.execute_query(text, given)).records]  # pyright: ignore


async def wrong_vectors(graph: Graph, slot: VectorSlot, embedder: HashEmbedder) -> list[str]:
    """The texts of notes whose vector in a slot is not that of their text by a model."""
    read = f"MATCH (n:Note) RETURN n.content, n.{slot} ORDER BY n.id"
    notes = await rows(graph, read)
    vectors = await embedder.embed_documents([text for text, _ in notes])
    return [
        text
        for (text, vector), right in zip(notes, vectors, strict=True)
        if vector is None or [*vector] != pytest.approx(right, abs=1e-6)
    ]


def missing(state: reindexing.ReindexState) -> list[tuple[int, int, bool, bool]]:
    return [(s.embedding.dimension, s.missing, s.in_use, s.waiting) for s in state.slots]


async def test_a_killed_reindex_goes_on_while_the_service_answers_and_writes(
    old: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "BATCH", 2)

    async def go_on() -> None:
        await require_ready(old.graph, old.embedder, migrations())
        assert "note 2" in await found(old, "note 2")

    async def die() -> None:
        raise Unavailable("killed")

    with pytest.raises(Unavailable, match="killed"):
        await reindex(command(old), Steps(128, [go_on, die]), old.clock)
    assert missing(await read_state(old.graph)) == [(64, 0, True, False), (128, 4, False, False)]
    with pytest.raises(Misconfigured, match="was not finished"):
        await prepare(old.graph, SECOND, migrations(), old.clock, Path())
    with pytest.raises(Misconfigured, match=r"hash-64 \(64.*hash-32 \(32.*graphmem reindex"):
        await prepare(old.graph, THIRD, migrations(), old.clock, Path())
    with pytest.raises(Misconfigured, match=r"taken.*--drop"):
        await reindex(command(old), THIRD, old.clock)
    await go_on()
    await tell(old, "note 5")
    told: list[int] = []
    assert await reindex(command(old), SECOND, old.clock, lambda size, _: told.append(size)) == 5
    assert sum(told) == 5
    assert missing(await read_state(old.graph)) == [(64, 0, True, False), (128, 0, False, True)]
    assert await wrong_vectors(old.graph, VectorSlot.FIRST, FIRST) == []
    assert await wrong_vectors(old.graph, VectorSlot.SECOND, SECOND) == []
    assert (await verify(old.graph)).found == ()
    await require_ready(old.graph, old.embedder, migrations())


async def test_what_changes_while_a_batch_is_embedded_is_neither_missed_nor_brought_back(
    old: Context,
) -> None:
    revised, gone, purged = [await tell(old, f"kiln {number}") for number in range(3)]
    away = await tell(old, "kiln 3")
    made: list[Note] = []

    async def meanwhile() -> None:
        access = await me(old)
        await revise(old, access, revised.id, Edit(content="kiln 7"))
        await forget_notes(old, access, [gone], permanent=True, reason=None)
        await forget_notes(old, access, [away], permanent=False, reason=None)
        made.append(await tell(old, "kiln 8"))

    async def destroy() -> None:
        await forget_notes(old, await me(old), [purged], permanent=True, reason=None)

    await reindex(command(old), Steps(128, [meanwhile, destroy]), old.clock)
    texts = {text for [text] in await rows(old.graph, "MATCH (n:Note) RETURN n.content")}
    assert {"kiln 3", "kiln 7", "kiln 8"} <= texts
    assert not {"kiln 0", "kiln 1", "kiln 2"} & texts
    for slot, embedder in ((VectorSlot.FIRST, FIRST), (VectorSlot.SECOND, SECOND)):
        assert await wrong_vectors(old.graph, slot, embedder) == []
    assert made
    lost = "MATCH (p:Passage) WHERE NOT EXISTS { (:Note)-[:HAS_PASSAGE]->(p) } RETURN p"
    assert await rows(old.graph, lost) == []
    assert (await verify(old.graph)).found == ()


async def test_a_text_that_changes_loses_its_vector_and_passages_of_the_other_model(
    old: Context,
) -> None:
    note = await tell(old, LONG.replace("Zorbelline", "Vandermolen"))
    await reindex(command(old), SECOND, old.clock)
    count = """MATCH (n:Note {id: $id}) RETURN n.embedding2 IS NULL,
        COUNT { (n)-[:HAS_PASSAGE]->(p) WHERE p.embedding2 IS NOT NULL } > 0,
        COUNT { (n)-[:HAS_PASSAGE]->(p) WHERE p.embedding IS NOT NULL } > 0"""
    assert await rows(old.graph, count, id=note.id) == [[False, True, True]]
    await set_note_visibility(old, await me(old), note.id, Visibility.PRIVATE)
    readers = """MATCH (n:Note {id: $id})-[:HAS_PASSAGE]->(p)
        WITH n, collect(DISTINCT p.audience) AS keys
        RETURN keys = [n.audience] AND n.visibility = 'PRIVATE'"""
    assert await rows(old.graph, readers, id=note.id) == [[True]]
    assert (await verify(old.graph)).found == ()
    text = LONG.replace("Zorbelline", "Brindle")
    await revise(old, await me(old), note.id, Edit(content=text))
    assert await rows(old.graph, count, id=note.id) == [[True, False, True]]


async def test_a_write_that_is_going_on_ends_before_the_slot_comes_into_use(old: Context) -> None:
    embedding = reindexing.embedding_of(THIRD)
    driver = old.graph._driver  # pyright: ignore[reportPrivateUsage]
    async with driver.session() as session, await session.begin_transaction() as tx:
        await (await tx.run("MERGE (n:Note {id: 'going on'})")).consume()
        using = asyncio.create_task(store.use(old.graph.in_slot(VectorSlot.SECOND), embedding))
        await asyncio.sleep(1)
        assert not using.done()
        await tx.rollback()
    assert await using is False  # nothing waits with this model
    assert (await store.read_slots(old.graph)).in_use is VectorSlot.FIRST


async def test_the_new_service_takes_over_and_the_old_one_writes_no_more(
    old: Context, opening: Callable[[HashEmbedder], Opened]
) -> None:
    late = "The late kiln is called Quillon."
    await tell(old, late)
    async with opening(SECOND) as new:
        assert new.graph.slot is VectorSlot.SECOND
        assert missing(await read_state(new.graph))[0] == (128, 0, True, False)
        assert (await found(new, "late kiln Quillon"))[0] == late
        assert "note 3" in await found(new, "note 3")
        await require_ready(new.graph, new.embedder, migrations())
        vectors = "MATCH (n:Note {content: $said}) RETURN n.embedding IS NULL"
        await tell(new, "Only the new one knows it.")
        assert await rows(new.graph, vectors, said="Only the new one knows it.") == [[True]]

        before = await rows(old.graph, "MATCH (n:Note) RETURN count(n)")
        for write in (
            tell(old, "too late"),
            revise(old, await me(old), (await first_note(old)), Edit(content="late")),
        ):
            with pytest.raises(Unavailable, match=r"hash-64 .* no longer the embedding model"):
                await write
        assert await rows(old.graph, "MATCH (n:Note) RETURN count(n)") == before
        with pytest.raises(Misconfigured, match="hash-128"):
            await require_ready(old.graph, old.embedder, migrations())
        with pytest.raises(Misconfigured, match=r"hash-128 .*hash-64 .*reindex"):
            await prepare(old.graph, FIRST, migrations(), old.clock, Path())
        assert "note 3" in await found(old, "note 3")  # who asks nevertheless is answered
        assert "Only the new one knows it." in await found(old, "Only the new one knows it.")

        access = await me(new)
        asked = RecallRequest(query="note 3", track=False)
        given = [hit.why.feedback for hit in (await recall(new, access, asked)).hits]
        assert any(given)
        [passages] = [h.passage for h in (await recall(new, access, long())).hits][:1]
        assert passages is not None
        assert (await verify(new.graph)).found == ()
        for slot in VectorSlot:  # the former one is served, and that in use is never dropped
            with pytest.raises(Conflict, match="still runs with hash-64"):
                await drop(new.graph.in_slot(slot))


async def first_note(context: Context) -> str:
    return (await rows(context.graph, "MATCH (n:Note {content: 'note 1'}) RETURN n.id"))[0][0]


async def nobody(*_: object) -> bool:
    return False


def long() -> RecallRequest:
    return RecallRequest(query="The pump is called Zorbelline.", track=False)


async def test_one_can_go_back_and_only_what_is_new_is_embedded(
    old: Context, opening: Callable[[HashEmbedder], Opened]
) -> None:
    assert await reindex(command(old), FIRST, old.clock) == 1
    async with opening(FIRST) as again:
        assert again.graph.slot is VectorSlot.FIRST
        assert "Only the new one knows it." in await found(again, "Only the new one knows it.")
    await tell(old, "The old one writes again.")
    assert await wrong_vectors(old.graph, VectorSlot.FIRST, FIRST) == []
    assert await reindex(command(old), SECOND, old.clock) == 1
    async with opening(SECOND) as new:
        assert (await verify(new.graph)).found == ()


async def test_a_backup_has_the_model_in_use_and_both_slots(
    old: Context, tmp_path: Path, emptied: Callable[[], ServerAddress], settings: Settings
) -> None:
    for embeddings in (True, False):
        file = BytesIO()
        await write_backup(old.graph, file, old.clock(), embeddings=embeddings)
        (tmp_path / f"{embeddings}.backup").write_bytes(file.getvalue())
    at = emptied()
    done = await restore_backup(command(old), tmp_path / "False.backup", migrations(), old.clock())
    assert done.reindex
    with pytest.raises(Misconfigured, match="was not finished"):
        await prepare(old.graph, SECOND, migrations(), old.clock, Path())
    await reindex(command(old), SECOND, old.clock)
    async with connect_context(settings, SECOND, at) as context:
        assert context.graph.slot is VectorSlot.FIRST
        assert (await verify(context.graph)).found == ()
    emptied()
    done = await restore_backup(command(old), tmp_path / "True.backup", migrations(), old.clock())
    assert not done.reindex
    async with connect_context(settings, SECOND, at) as context:
        assert context.graph.slot is VectorSlot.SECOND
        assert "note 3" in await found(context, "note 3")
        assert (await verify(context.graph)).found == ()


async def test_what_is_dropped_is_gone(
    old: Context, opening: Callable[[HashEmbedder], Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: object) -> bool:
        raise Unavailable("killed")

    with pytest.raises(Conflict, match="still runs"):
        await drop(old.graph)
    monkeypatch.setattr(store, "is_served", nobody)  # as if the old service had ended
    with monkeypatch.context() as patch:
        patch.setattr(store, "clear", die)
        with pytest.raises(Unavailable, match="killed"):
            await drop(old.graph)
    assert await rows(old.graph, "MATCH (n:Note) WHERE n.embedding IS NOT NULL RETURN 1 LIMIT 1")
    assert {each.fault for each in (await verify(old.graph)).found} == {"VECTOR"}
    assert await drop(old.graph) is None  # what was left goes, too
    for label in ("Note", "Passage", "Recall", "Proposal"):
        left = f"MATCH (n:{label}) WHERE n.embedding IS NOT NULL RETURN count(n)"
        assert await rows(old.graph, left) == [[0]]
    names = "SHOW INDEXES YIELD name WHERE name CONTAINS 'embedding' RETURN name ORDER BY name"
    assert await rows(old.graph, names) == [["note_embedding2"], ["passage_embedding2"]]
    async with opening(SECOND) as new:
        assert (await verify(new.graph)).found == ()
        assert "note 3" in await found(new, "note 3")
    assert "note 3" in await found(old, "note 3")  # by words: its vectors are gone


async def test_the_only_whole_vectors_are_not_dropped(
    old: Context, opening: Callable[[HashEmbedder], Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "is_served", nobody)
    await reindex(command(old), FIRST, old.clock)
    use = "MATCH (v:Meta {name: 'vectors'}) SET v.behind = $behind"
    await rows(old.graph, use, behind=True)
    with pytest.raises(Conflict, match="not all notes have vectors"):
        await drop(old.graph)
    await rows(old.graph, use, behind=False)
    filled = "MATCH (m:Meta {name: 'embedding2'}) SET m.filled = $filled"
    await rows(old.graph, filled, filled=False)
    with pytest.raises(Conflict, match="not all notes have vectors"):
        await drop(old.graph)
    await rows(old.graph, filled, filled=True)
    assert [each.dimension for each in [await drop(old.graph)] if each] == [64]
    with pytest.raises(Misconfigured, match="hash-64"):  # which was ready until then
        await prepare(old.graph, FIRST, migrations(), old.clock, Path())
    async with opening(SECOND) as new:
        assert (await verify(new.graph)).found == ()


async def test_a_slot_that_is_dropped_while_it_is_filled_takes_nothing_more(
    old: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "is_served", nobody)

    async def dropped() -> None:
        assert await drop(old.graph) is not None

    with pytest.raises(Misconfigured, match="dropped meanwhile"):
        await reindex(command(old), Steps(32, [dropped]), old.clock)
    left = "MATCH (n:Note) WHERE n.embedding IS NOT NULL RETURN count(n)"
    assert await rows(old.graph, left) == [[0]]


async def test_a_half_replaced_model_of_a_version_without_slots_is_never_used(
    old: Context, opening: Callable[[HashEmbedder], Opened]
) -> None:
    await rows(old.graph, "MATCH (m:Meta) WHERE m.name IN ['embedding2', 'vectors'] DELETE m")
    await rows(
        old.graph,
        "MERGE (m:Meta {name: 'embedding'}) SET m.model = 'hash-64', m.dimension = 64, "
        "m.target = 'hash-128', m.targetDimension = 128, m.reached = 'x', m.filled = null",
    )
    await rows(old.graph, "MATCH (n:Note) SET n.embedding2 = null")
    for embedder in (FIRST, SECOND):
        with pytest.raises(Misconfigured, match="half replaced by hash-128"):
            await prepare(old.graph, embedder, migrations(), old.clock, Path())
    await reindex(command(old), SECOND, old.clock)
    async with opening(SECOND) as new:
        assert new.graph.slot is VectorSlot.SECOND
        assert (await verify(new.graph)).notes > 5
