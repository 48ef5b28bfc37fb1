"""Writing a backup: all that is in the graph, as it was at one moment, while the service runs.

Neo4j Community has no snapshot, and a read sees what others commit while it goes on. So for as long
as the graph is read everybody's writes wait, by a lock of the database: what was acknowledged
before is in the file, and what comes later is not. This holds for other processes and for a Neo4j
elsewhere, and the lock ends with the process that holds it. Reads go on.
"""

import asyncio
import pickle
from array import array
from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime
from importlib.metadata import version
from typing import Any, BinaryIO, Final

from graphmem.domain.backups import VERSION, Counts, Manifest
from graphmem.errors import Misconfigured
from graphmem.services.backups.files import Writer
from graphmem.store import backups as store
from graphmem.store import reindexing
from graphmem.store.backup_values import encode, encode_instant
from graphmem.store.graph import Graph
from graphmem.store.migrations import list_checksums
from graphmem.store.vector_slots import VectorSlot

MADE_ANEW: Final = frozenset({"Note", "Passage"})  # whose vectors `graphmem reindex` makes
VECTORS: Final = frozenset(VectorSlot)
MOST_HELD: Final = 256 * 1024 * 1024  # bytes read and not written yet: some 50,000 notes
Progress = Callable[[int, int | None], None]
Put = Callable[[list[list[Any]]], None]


async def write_backup(
    graph: Graph,
    file: BinaryIO,
    now: datetime,
    *,
    embeddings: bool = True,
    progress: Progress = lambda done, total: None,
) -> Counts:
    """Write the whole graph into a file and return what it holds; writes wait meanwhile.

    `progress` gets the number of places of the store that were read, and how many there are.
    Raises Misconfigured in a half restored store, and Unavailable."""
    if await store.is_half_restored(graph):
        raise Misconfigured("this store is half restored: run `graphmem restore` again first")
    writing = _Writing(Writer(file), embeddings=embeddings)
    writing.writer.begin(await _manifest_of(graph, now, embeddings=embeddings))
    await store.plan_reads(graph)
    held = _Held()
    async with store.pausing_writes(graph):
        extent = await store.read_extent(graph)
        total = extent.nodes + extent.relationships + 2
        for pages, put in (
            (store.read_nodes(graph, extent), writing.put_nodes),
            (store.read_relationships(graph, extent), writing.put_relationships),
        ):
            async with aclosing(pages):
                async for rows in pages:
                    await asyncio.to_thread(held.hold, put, rows)
                    progress(store.PAGE, total)
    await asyncio.to_thread(held.let_go)
    await asyncio.to_thread(writing.writer.end)
    return writing.writer.counts


class _Held:
    """Rows that were read, to be written once nobody waits any more or when they are too many."""

    def __init__(self) -> None:
        self._pages: list[tuple[Put, bytes]] = []
        self._size = 0

    def hold(self, put: Put, rows: list[list[Any]]) -> None:
        """Take a page, which `put` writes later."""
        packed = pickle.dumps(rows)  # a fifth of what the rows take
        self._pages.append((put, packed))
        self._size += len(packed)
        if self._size > MOST_HELD:
            self.let_go()

    def let_go(self) -> None:
        """Write all pages that are held, in their order."""
        for put, packed in self._pages:
            put(pickle.loads(packed))
        self._pages, self._size = [], 0


async def _manifest_of(graph: Graph, now: datetime, *, embeddings: bool) -> Manifest:
    recorded = await reindexing.get_embedding(graph)
    return Manifest(
        version=VERSION,
        graphmem=version("graphmem"),
        made_at=now.isoformat(),
        migrations=await list_checksums(graph),
        model=None if recorded is None else recorded.model,
        dimension=None if recorded is None else recorded.dimension,
        embeddings=embeddings,
    )


class _Writing:
    """Turns rows of the store into records, and gives nodes their numbers."""

    def __init__(self, writer: Writer, *, embeddings: bool) -> None:
        self.writer = writer
        self._embeddings = embeddings
        self._numbers = array("q")  # by place in the store; -1: nothing is there

    def put_nodes(self, rows: list[list[Any]]) -> None:
        records: list[Any] = []
        for place, labels, properties in rows:
            missing = place + 1 - len(self._numbers)
            self._numbers.extend([-1] * missing)
            self._numbers[place] = self.writer.counts.nodes
            self.writer.counts.add_node(labels)
            leave_out = not self._embeddings and not MADE_ANEW.isdisjoint(labels)
            kept = [each for each in properties if not (leave_out and each[0] in VECTORS)]
            records.append([labels, _encoded(kept)])
        self.writer.write(records)

    def put_relationships(self, rows: list[list[Any]]) -> None:
        records: list[Any] = []
        for start, end, name, properties in rows:
            self.writer.counts.add_relationship(name)
            ends = self._numbers[start], self._numbers[end]
            records.append([*ends, name, _encoded(properties)])
        self.writer.write(records)


def _encoded(properties: list[list[Any]]) -> dict[str, Any]:
    return {
        key: encode_instant(*value) if len(value) == 2 else encode(value[0])
        for key, *value in properties
    }
