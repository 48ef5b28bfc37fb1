"""Makes the graph ready at a start: migrations, the embedding model's record, the vector index."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import structlog

from graphmem.ai.embedder import Embedder
from graphmem.errors import Misconfigured, TimedOut, Unavailable
from graphmem.services.backups.keeping import back_up_before
from graphmem.services.backups.restoring import require_whole
from graphmem.services.context import Clock
from graphmem.services.reindexing import (
    bring_into_use,
    embedding_of,
    make_indexes,
    usable_slot,
)
from graphmem.services.writing.old_names import key_old_names
from graphmem.services.writing.words import index_old_notes
from graphmem.store import meta
from graphmem.store import reindexing as store
from graphmem.store.backups import LONGEST_S
from graphmem.store.graph import Graph
from graphmem.store.migrations import Migration, migrate, pending
from graphmem.store.vector_slots import VectorSlot

AGAIN_S = 0.5  # seconds until a graph that does not answer is asked again

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
    """Apply the missing migrations and return their names. A store that is not empty is backed up
    into `folder` first. Raises Misconfigured (also for a half-restored store), Unavailable, and
    Invalid if the backup can't be written, in which case nothing has changed."""
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
) -> Graph:
    """Make the graph ready for this embedder, and return it as this one uses it; `folder` gets a
    backup before migrations.

    Vectors that wait for a service with this model come into use. Raises what `migrate_graph`
    does, and Misconfigured when another model made those that are in use.
    """
    await migrate_graph(graph, migrations, clock, folder)
    await embedder.ready()
    embedding = embedding_of(embedder)
    slots = await store.claim_embedding(graph, embedding, clock())
    slot = usable_slot(slots, embedding)
    graph = graph.in_slot(slot)
    await make_indexes(graph, embedding.dimension)
    if slot is not slots.in_use or slots.behind:
        await bring_into_use(graph, embedder, clock)
    if indexed := await index_old_notes(graph):
        log.info("words of notes indexed in a new form", notes=indexed)
    if keyed := await key_old_names(graph):
        log.info("names got keys of a new form", names=keyed)
    return graph.serving(embedding)


@asynccontextmanager
async def open_prepared(
    connect: Callable[[str], AbstractAsyncContextManager[Graph]],
    embedder: Embedder,
    migrations: tuple[Migration, ...],
    clock: Clock,
    folder: Path,
    patience_s: float,
) -> AsyncIterator[Graph]:
    """Connect to a graph, prepare it, and yield it, connected by the name of the slot of vectors
    that it uses."""
    first = store.connection_name(VectorSlot.FIRST)
    async with connect(first) as graph:
        await await_graph(graph, patience_s)
        prepared = await prepare(graph, embedder, migrations, clock, folder)
        if prepared.slot is VectorSlot.FIRST:
            yield prepared
            return
    async with connect(store.connection_name(prepared.slot)) as graph:
        yield graph.in_slot(prepared.slot).serving(embedding_of(embedder))


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
    slots, embedding = await store.read_slots(graph), embedding_of(embedder)
    if slots.used is not None and usable_slot(slots, embedding) is not slots.in_use:
        raise Misconfigured(f"{slots.used.embedding} made the vectors in use, not {embedding}")


async def contents_of(graph: Graph) -> meta.Contents:
    """Return what the graph holds, of all users, and the state of its indexes.

    It is for whoever runs the service.
    """
    return await meta.read_contents(graph)


async def count_notes(graph: Graph, clock: Clock) -> int:
    """Count all users' notes, without archived and superseded ones."""
    return await meta.count_all(graph, clock())
