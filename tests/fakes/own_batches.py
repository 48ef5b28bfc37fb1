"""Jobs that go through the notes of some owners alone."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from graphmem.store.graph import Graph


def keep_batches_to(
    patch: pytest.MonkeyPatch,
    owners: Callable[[], Sequence[str]],
    left_out: Callable[[], Sequence[str]] = tuple,
) -> None:
    """Let statements of jobs change the notes of these owners alone, but for those left out."""
    run_batches = Graph.run_batches

    async def run_own(store: Graph, query: str, /, **given: Any) -> Any:
        mine = {"owners": list(owners()), "leftOut": [*given["leftOut"], *left_out()]}
        return await run_batches(store, query, **given | mine)

    patch.setattr(Graph, "run_batches", run_own)
