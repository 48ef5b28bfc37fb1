"""Makes new keys for names whose key, used to look up names of one form, has an old form."""

from typing import Final

from graphmem.language.naming import loose_key
from graphmem.store import meta
from graphmem.store.graph import Graph

FORM: Final = 1  # form of the keys; with another number all are made again
BATCH: Final = 1_000


async def key_old_names(graph: Graph) -> int:
    """Make the keys and return how many names there were.

    It continues where an interrupted start has stopped.
    """
    form, reached = await meta.read_names(graph)
    if form == FORM:
        return 0
    done = 0
    while batch := await meta.names_after(graph, reached, BATCH):
        reached = batch[-1][0]
        await meta.set_names(graph, {i: loose_key(key) for i, key in batch}, reached)
        done += len(batch)
    await meta.finish_names(graph, FORM)
    return done
