"""Reading what `graphmem verify` compares, of everybody."""

from typing import Final

from graphmem.store.graph import Graph, Row

PAGE: Final = 1_000  # notes


async def notes_after(graph: Graph, after: str) -> list[Row]:
    """Return the next notes by id, with what decides who may read them and what must agree."""
    return await graph.read_list("verify/notes", after=after, limit=PAGE)


async def find_orphans(graph: Graph, examples: int) -> list[Row]:
    """Count by kind what belongs to a note that is not there, with the first ids."""
    return await graph.read_list("verify/orphans", examples=examples)
