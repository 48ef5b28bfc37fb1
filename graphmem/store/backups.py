"""The whole graph for a backup, read page by page while nobody writes, and written again from one.

Whatever is in the graph is read: no label, type or property is named here."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphmem.errors import Unavailable
from graphmem.store.graph import Graph, Row, Step

PAGE: Final = 500  # places of the store read by one query
AHEAD: Final = 3  # pages that are asked for before they are taken
WAIT_S: Final = 20.0  # for the locks; writers wait no longer, since their own time ends after 25
LONGEST_S: Final = 600.0  # for which writers wait
REMOVED: Final = 2_000  # nodes removed in one transaction
WRITE_S: Final = 120.0  # for one transaction of a restore
STILL_PAUSED: Final = Step("backups/still_paused")  # returns a row while writes wait
Place = dict[str, object]  # the parameters of one page
_STORE: Final = re.compile(r"[0-9a-f-]{36}")


@dataclass(frozen=True)
class Extent:
    """The ends of the places of nodes and relationships, and the beginnings of their ids."""

    nodes: int
    relationships: int
    store: str


def pausing_writes(graph: Graph, longest_s: float = LONGEST_S) -> AbstractAsyncContextManager[None]:
    """Let everybody's writes wait, those of other processes, too; reads go on.

    Neo4j locks a label for all who read its nodes by an index while an index of it is made. This
    begins to make an index of one label, which each transaction that writes reads first and few
    others do, and takes that back. Raises Unavailable, also while somebody migrates the graph."""
    return graph.pausing(
        Step("backups/pause_writes"),
        Step("backups/none_migrates", required=True),
        check=STILL_PAUSED,
        within_s=WAIT_S,
        longest_s=longest_s,
    )


async def read_extent(graph: Graph) -> Extent:
    """Return how far the store goes. Raises Unavailable for ids of another form than known."""
    row = await graph.read_one("backups/extent")
    extent = Extent(**row) if row is not None else Extent(-1, -1, "")
    if extent.nodes >= 0 and not _STORE.fullmatch(extent.store):
        raise Unavailable("this version of Neo4j numbers its nodes in another way than is known")
    return extent


async def plan_reads(graph: Graph) -> None:
    """Read a page of each, so that nobody waits while Neo4j plans these queries."""
    extent = await read_extent(graph)
    for pages in (read_nodes(graph, extent), read_relationships(graph, extent)):
        async with aclosing(pages):
            async for _ in pages:
                break


async def read_nodes(graph: Graph, extent: Extent) -> AsyncGenerator[list[list[Any]]]:
    """Yield the nodes in pages, each as place, labels and properties: a list for each, of its name
    and its value, or its name and the seconds since 1970 and nanoseconds of an instant in UTC."""

    def read(place: Place) -> Awaitable[list[list[Any]]]:
        return graph.read_list("backups/nodes", **place)

    async with aclosing(_read(read, f"4:{extent.store}:", extent.nodes)) as pages:
        async for rows in pages:
            yield rows


async def read_relationships(graph: Graph, extent: Extent) -> AsyncGenerator[list[list[Any]]]:
    """Yield the relationships in pages, each as the places of its ends, type and properties."""

    def read(place: Place) -> Awaitable[list[list[Any]]]:
        return graph.read_list("backups/relationships", **place)

    async with aclosing(_read(read, f"5:{extent.store}:", extent.relationships)) as pages:
        async for rows in pages:
            yield rows


async def _read(
    read: Callable[[Place], Awaitable[list[list[Any]]]], prefix: str, last: int
) -> AsyncGenerator[list[list[Any]]]:
    """Yield pages in their order. The next ones are asked for before a page is taken, so that
    Neo4j reads while Python makes objects of what it gave."""
    asked = deque[asyncio.Future[list[list[Any]]]]()
    try:
        for place in _pages(prefix, last):
            asked.append(asyncio.ensure_future(read(place)))
            if len(asked) > AHEAD:
                yield await asked.popleft()
        while asked:
            yield await asked.popleft()
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


def _pages(prefix: str, last: int) -> Iterator[Place]:
    for start in range(0, last + 1, PAGE):
        yield {"prefix": prefix, "from": start, "to": min(start + PAGE - 1, last)}


async def read_contents(graph: Graph) -> tuple[bool, bool]:
    """Return whether somebody has used the store, and whether a restore was broken off in it."""
    row = await graph.read_one("backups/contents")
    return (False, False) if row is None else (row["used"], row["half"])


async def is_used(graph: Graph) -> bool:
    """Return True if the store holds anybody's memory."""
    row = await graph.read_one("job:back_up")
    return row is not None and row["used"]


async def is_half_restored(graph: Graph) -> bool:
    """Return True if a restore was broken off in this store."""
    row = await graph.read_one("backups/half_restored")
    return row is not None and row["half"]


async def begin_restore(graph: Graph, now: datetime) -> None:
    """Mark the store as half restored."""
    await graph.write_one("backups/begin_restore", now=now)


async def clear(graph: Graph) -> None:
    """Remove everything but that mark."""
    while True:
        step = Step("backups/clear", {"limit": REMOVED})
        [[row]] = await graph.write(step, timeout_s=WRITE_S)
        if row["removed"] == 0:
            return


async def add_nodes(graph: Graph, rows: Sequence[Row]) -> list[str]:
    """Write nodes, given by number, labels, properties and vectors; return their ids in the
    store, in the order of the numbers."""
    step = Step("backups/add_nodes", {"rows": rows})
    [[row]] = await graph.write(step, timeout_s=WRITE_S)
    return [each[1] for each in sorted(row["ids"])]


async def add_relationships(graph: Graph, rows: Sequence[Mapping[str, object]]) -> int:
    """Write relationships, given by the ids of their ends, type and properties; return how many
    were written."""
    step = Step("backups/add_relationships", {"rows": rows})
    [[row]] = await graph.write(step, timeout_s=WRITE_S)
    return row["added"]


async def end_restore(graph: Graph) -> None:
    """Take the mark of a half restored store away."""
    await graph.write_one("backups/end_restore")
