"""Restoring a backup into an empty store.

The file is checked to its end before anything is written. From the first write on until the last
one the store is marked, so that no service starts on a half restored one, and a restore that was
broken off starts over."""

import asyncio
import json
import os
import socket
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from graphmem.domain.backups import Counts, Manifest
from graphmem.errors import Conflict, Invalid, Misconfigured
from graphmem.services.backups.files import check_file, is_node, read_lines
from graphmem.store import backups as store
from graphmem.store import meta, reindexing
from graphmem.store.backup_values import decode, is_vector, to_vector
from graphmem.store.graph import Graph, Row
from graphmem.store.migrations import Migration, await_indexes, migrate
from graphmem.store.vector_slots import Embedding

BATCH: Final = 500  # records written in one transaction
INDEXES_S: Final = 3600  # for indexes to take in everything
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Restored:
    """The counts of what was restored; `reindex`: notes lack vectors, which `graphmem reindex`
    makes."""

    counts: Counts
    reindex: bool


async def require_whole(graph: Graph) -> None:
    """Raise Misconfigured if a restore into this store was broken off."""
    if await store.is_half_restored(graph):
        raise Misconfigured(
            "a restore into this store was broken off, so it is not whole: run `graphmem restore` "
            "again, which starts over"
        )


async def restore_backup(
    graph: Graph,
    path: Path,
    migrations: tuple[Migration, ...],
    now: datetime,
    progress: Progress = lambda done, total: None,
) -> Restored:
    """Write everything that a file holds into an empty store; `progress` gets the number of
    records written, and how many there are.

    Raises Invalid for a damaged file, Misconfigured for one of a newer schema, and Conflict unless
    the store is empty; then nothing was changed."""
    checked = await asyncio.to_thread(check_file, path)
    if checked.problems or checked.manifest is None:
        raise Invalid(f"{path}: {'; '.join(checked.problems)}")
    known = _require_known_schema(checked.manifest, migrations)
    used, half = await store.read_contents(graph)
    if used and not half:
        raise Conflict("the store is not empty: restore into a new data folder, or a new database")
    await store.begin_restore(graph, now)
    await store.clear(graph)
    owner = f"{socket.gethostname()}:{os.getpid()}"
    await migrate(graph, migrations[:known], owner=owner, now=now)
    await store.clear(graph)  # the file has the record of these migrations
    total = checked.counts.nodes + checked.counts.relationships
    await _load(graph, path, lambda done: progress(done, total))
    await _require_equal(graph, checked.counts)
    await migrate(graph, migrations, owner=owner, now=now)
    reindex = await _make_searchable(graph, checked.manifest, now)
    await store.end_restore(graph)
    return Restored(checked.counts, reindex)


def _require_known_schema(manifest: Manifest, migrations: Sequence[Migration]) -> int:
    """Return how many migrations the file has. Raises Misconfigured unless they are the first ones
    of this version."""
    made = list(manifest.migrations.items())
    if made != [(each.name, each.checksum) for each in migrations[: len(made)]]:
        raise Misconfigured(
            f"the file is of another schema, made by graphmem {manifest.graphmem}: restore it by "
            "that version or a newer one"
        )
    return len(made)


async def _load(graph: Graph, path: Path, progress: Callable[[int], None]) -> None:
    batches, loading = _batches(path), _Loading(graph)
    while (batch := await asyncio.to_thread(next, batches, None)) is not None:
        await loading.add(batch)
        progress(len(batch))


def _batches(path: Path) -> Iterator[list[list[Any]]]:
    """Yield the records of nodes and then of relationships, never both in one batch."""
    batch: list[list[Any]] = []
    lines = read_lines(path)
    next(lines)  # the manifest
    for line in lines:
        record = json.loads(line)
        if not isinstance(record, list):
            break
        if batch and (len(batch) == BATCH or is_node(batch[0]) is not is_node(record)):
            yield batch
            batch = []
        batch.append(record)
    if batch:
        yield batch


class _Loading:
    """Writes batches, and remembers where the nodes are in the store."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._prefix = ""
        self._places = array("q")  # by number in the file

    async def add(self, batch: list[list[Any]]) -> None:
        if is_node(batch[0]):
            rows = [_node_row(len(self._places) + i, *record) for i, record in enumerate(batch)]
            for each in await store.add_nodes(self._graph, rows):
                self._prefix, _, place = each.rpartition(":")
                self._places.append(int(place))
            return
        rows = [
            {
                "start": self._id_of(start),
                "finish": self._id_of(end),
                "type": name,
                "properties": {key: decode(value) for key, value in properties.items()},
            }
            for start, end, name, properties in batch
        ]
        await store.add_relationships(self._graph, rows)

    def _id_of(self, number: int) -> str:
        return f"{self._prefix}:{self._places[number]}"


def _node_row(number: int, labels: list[str], properties: dict[str, Any]) -> Row:
    return {
        "number": number,
        "labels": labels,
        "properties": {k: decode(v) for k, v in properties.items() if not is_vector(v)},
        "vectors": [
            {"key": k, "vector": to_vector(v)} for k, v in properties.items() if is_vector(v)
        ],
    }


async def _require_equal(graph: Graph, counts: Counts) -> None:
    """Raise Conflict unless the store holds what the file does, with the mark of the restore."""
    found = await meta.read_contents(graph)
    labels = dict(found.labels)
    for label in ("Meta", "System"):  # of that mark
        labels[label] -= 1
    wanted = {label: count for label, count in counts.labels.items() if count}
    there = {label: count for label, count in labels.items() if count}
    if there != wanted or found.relationships != counts.relationships:
        raise Conflict("somebody else wrote into the store meanwhile: stop that, and restore again")


async def _make_searchable(graph: Graph, manifest: Manifest, now: datetime) -> bool:
    """Make the vector indexes and wait for all indexes; return True if there are no vectors yet,
    which is recorded so that no service starts without them."""
    if manifest.model is None or manifest.dimension is None:
        return False
    slots, embedding = None, Embedding(model=manifest.model, dimension=manifest.dimension)
    if manifest.embeddings:
        slots = await reindexing.read_slots(graph)
        for slot, held in slots.held.items():
            if held.filled:
                await reindexing.create_indexes(graph.in_slot(slot), held.embedding.dimension)
    else:
        await reindexing.forget(graph, embedding, now)
    await await_indexes(graph, INDEXES_S)
    return slots is None or slots.used is None or not slots.used.filled
