"""Makes the graph ready at a start: migrations, the embedding model's record, the vector index."""

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import Final

import structlog

from graphmem.ai.embedder import Embedder
from graphmem.domain.notes import Note
from graphmem.errors import Misconfigured, TimedOut, Unavailable
from graphmem.language.questions import without_courtesy
from graphmem.services.backups.keeping import back_up_before
from graphmem.services.backups.restoring import require_whole
from graphmem.services.context import Clock
from graphmem.services.recall.question_vectors import question_vector
from graphmem.services.text_work import TextWork
from graphmem.services.writing.old_names import key_old_names
from graphmem.services.writing.passages import passages_of
from graphmem.services.writing.words import index_old_notes
from graphmem.store import feedback, meta
from graphmem.store.backups import LONGEST_S
from graphmem.store.graph import Graph
from graphmem.store.meta import Embedding
from graphmem.store.migrations import Migration, migrate, pending

INDEXES_S: Final = 300  # seconds to wait for indexes
BATCH: Final = 200  # notes embedded again in one transaction
LETTERS = 200_000  # letters of such notes: about 900 passages, each with a vector
AGAIN_S = 0.5  # seconds until a graph that does not answer is asked again
ATTEMPTS: Final = 5  # attempts while several replicas make the same index

log = structlog.get_logger(__name__)


async def await_graph(graph: Graph, patience_s: float) -> None:
    """Wait until the graph answers.

    Raises Unavailable, or TimedOut where it is merely too busy, when it has not after `patience_s`.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience_s
    while True:
        try:
            await meta.read_health(graph)
            return
        except (Unavailable, TimedOut):  # a busy machine takes seconds to plan its first query
            if loop.time() > deadline:
                raise
        await asyncio.sleep(AGAIN_S)


async def migrate_graph(
    graph: Graph, migrations: tuple[Migration, ...], clock: Clock, folder: Path
) -> list[str]:
    """Apply the missing migrations and return their names, after a backup into `folder` where the
    store holds anything. Raises Misconfigured, in a half restored store, too, Unavailable, and
    Invalid where the backup can't be written; then nothing was changed."""
    await require_whole(graph)
    await _back_up_before(graph, migrations, clock, folder)
    owner = f"{socket.gethostname()}:{os.getpid()}"
    return await migrate(graph, migrations, owner=owner, now=clock())


async def _back_up_before(
    graph: Graph, migrations: tuple[Migration, ...], clock: Clock, folder: Path
) -> None:
    """Make a backup if migrations are missing; wait for another process that makes one, or that
    migrates after it. Raises as `migrate_graph` does."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + LONGEST_S
    while True:
        missing = await pending(graph, migrations)
        if not missing or len(missing) == len(migrations):
            return
        try:
            await back_up_before(graph, missing[0], folder, clock())
        except Unavailable:
            if loop.time() > deadline:
                raise
        else:
            return
        await asyncio.sleep(AGAIN_S)


async def prepare(
    graph: Graph,
    embedder: Embedder,
    migrations: tuple[Migration, ...],
    clock: Clock,
    folder: Path,
) -> None:
    """Make the graph ready for this embedder; `folder` gets a backup before migrations.

    Raises what `migrate_graph` does, and Misconfigured when another model made the existing
    vectors.
    """
    await migrate_graph(graph, migrations, clock, folder)
    await embedder.ready()
    model, dimension = embedder.model_id, embedder.dimension
    recorded = await meta.claim_embedding(graph, model, dimension, clock())
    require_same(recorded, model, dimension)
    await _make_index(graph, dimension)
    if indexed := await index_old_notes(graph):
        log.info("words of notes indexed in a new form", notes=indexed)
    if keyed := await key_old_names(graph):
        log.info("names got keys of a new form", names=keyed)


def require_same(recorded: Embedding, model: str, dimension: int) -> None:
    """Raise Misconfigured unless the recorded model is this one, and for all notes."""
    if recorded.target is not None:
        raise Misconfigured(
            f"`graphmem reindex` to {recorded.target} was not finished, so some notes have no "
            "usable vector: run `graphmem reindex` again"
        )
    if (recorded.model, recorded.dimension) != (model, dimension):
        raise Misconfigured(
            f"the vectors in the graph were made by {recorded.model} ({recorded.dimension} "
            f"numbers), but GRAPHMEM_EMBEDDER is {model} ({dimension} numbers): set it back, or "
            "run `graphmem reindex` to embed all notes anew"
        )


async def _make_index(graph: Graph, dimension: int) -> None:
    for attempt in range(ATTEMPTS):
        try:
            await meta.create_vector_index(graph, dimension)
            break
        except Unavailable:  # another replica holds the schema's lock
            if attempt == ATTEMPTS - 1:
                raise
            await asyncio.sleep(AGAIN_S)
    for _ in range(INDEXES_S * 10):
        if (await meta.read_health(graph)).pending == 0:
            return
        await asyncio.sleep(0.1)
    raise Unavailable("the indexes are still being built; try again")


def _first_batch(notes: list[Note]) -> list[Note]:
    """Return the first of the notes, at least one, whose passages fit into one transaction."""
    lengths = accumulate(len(note.content) for note in notes)
    return notes[: max(1, sum(length <= LETTERS for length in lengths))]


async def reindex(
    graph: Graph,
    embedder: Embedder,
    clock: Clock,
    progress: Callable[[int, int], None] = lambda notes, total: None,
) -> int:
    """Embed all notes again and return the number of notes embedded by this call.

    The change of models is recorded in the graph until the last note is done, and graphmem does not
    start before that; run again after a crash, it continues where it stopped. `progress` gets the
    size of each batch, and how many notes this call embeds in all.
    """
    await embedder.ready()
    model, dimension = embedder.model_id, embedder.dimension
    recorded = await meta.get_embedding(graph)
    begun = recorded is not None and (recorded.target, recorded.target_dimension) == (
        model,
        dimension,
    )
    if not begun:
        await meta.begin_embedding(graph, model, dimension, clock())
    await meta.drop_vector_index(graph)
    reached = recorded.reached if recorded is not None and begun else ""
    done, total = 0, await meta.count_after(graph, reached)
    with closing(TextWork(threads=1)) as texts:
        while batch := _first_batch(await meta.notes_after(graph, reached, BATCH)):
            vectors = await embedder.embed_documents([note.reading_text for note in batch])
            reached = max(note.id for note in batch)
            pairs = zip(batch, vectors, strict=True)
            passages = await passages_of(embedder, batch, texts)
            await meta.set_vectors(
                graph, {note.id: vector for note, vector in pairs}, passages, reached
            )
            done += len(batch)
            progress(len(batch), total)
    await _embed_questions(graph, embedder)
    await _make_index(graph, dimension)
    await meta.set_embedding(graph, model, dimension, clock())
    return done


async def _embed_questions(graph: Graph, embedder: Embedder) -> None:
    """Give the questions on which there is feedback their vectors of this model."""
    while asked := await feedback.list_questions_of_other_models(graph, embedder.model_id, BATCH):
        vectors = {
            i: await question_vector(embedder, without_courtesy(query))
            for i, query in asked.items()
        }
        await feedback.set_vectors(graph, embedder.model_id, vectors)


async def require_ready(
    graph: Graph, embedder: Embedder, migrations: tuple[Migration, ...]
) -> None:
    """Raise Unavailable unless requests can be served now.

    Raises Misconfigured where the vectors in the graph are no longer those of this embedder.
    """
    health = await meta.read_health(graph)
    if health.migrations != len(migrations):
        raise Unavailable("the graph lacks migrations")
    if health.pending:
        raise Unavailable("indexes are being built")
    if not health.vectors:
        raise Unavailable("the vector index is missing")
    await embedder.ready()
    if (recorded := await meta.get_embedding(graph)) is not None:
        require_same(recorded, embedder.model_id, embedder.dimension)


async def contents_of(graph: Graph) -> meta.Contents:
    """Return what the graph holds, of all users, and the state of its indexes.

    It is for whoever runs the service.
    """
    return await meta.read_contents(graph)


async def count_notes(graph: Graph, clock: Clock) -> int:
    """Count all users' notes, without archived and superseded ones."""
    return await meta.count_all(graph, clock())
