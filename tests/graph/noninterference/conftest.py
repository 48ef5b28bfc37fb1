"""Worlds on the service of the test run."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import datetime

import pytest

from graphmem.domain import ids
from graphmem.domain.notes import BEGINNING
from graphmem.services.context import Context
from graphmem.services.jobs import expiry, maintenance
from graphmem.settings import Settings
from graphmem.store import events, reindexing
from graphmem.store.vector_slots import VectorSlot

from .steady import offsets, uuid7_of
from .world import World, open_world


async def since_the_beginning(context: Context, job: str) -> datetime:
    return BEGINNING


@pytest.fixture(scope="package", autouse=True)
def steady_ids() -> Iterator[None]:
    """Ids of a world, and where its events stand among those of one write, may be steady;
    everything that makes them asks the world that it runs in."""
    original = ids.uuid7
    steady = uuid7_of(original)
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("graphmem") and getattr(module, "uuid7", None) is original:
                patch.setattr(module, "uuid7", steady)
        patch.setattr(events, "draw_offsets", offsets)
        # Other tests run jobs, too, at the time of the real clock.
        for module in (maintenance, expiry):
            patch.setattr(module, "since_last_run", since_the_beginning)
        yield


@pytest.fixture(scope="session")
def open_one(context: Context, settings: Settings) -> Callable[[bool], World]:
    """Opens worlds, with keys or without."""
    return lambda with_keys: open_world(context, settings, with_keys=with_keys)


@pytest.fixture
async def open_in_second_slot(
    context: Context, settings: Settings
) -> AsyncIterator[Callable[[bool], World]]:
    """Opens worlds whose vectors are in the second slot, as after a change of the model."""
    graph = context.graph.in_slot(VectorSlot.SECOND)
    graph._serving = None  # pyright: ignore[reportPrivateUsage]  # in use is the first slot
    await reindexing.create_indexes(graph, context.embedder.dimension)
    await graph.run("meta/await_indexes", seconds=300)
    service = replace(context, graph=graph)
    yield lambda with_keys: open_world(service, settings, with_keys=with_keys)
    await reindexing.drop_indexes(graph)
