"""Runs a job over the notes of one user and is killed by SIGKILL, a moment after a query of it has
begun: `python killed_job.py JSON`, where the JSON tells the user, the job, its run, the time of the
notes, and when the end comes. The environment says where Neo4j is."""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from copy import copy
from datetime import datetime
from typing import Any

import pytest
from living_notes import Living, of_one_user

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server
from graphmem.domain.jobs import JobRun
from graphmem.settings import load_settings
from graphmem.store.graph import Graph


def ends(graph: Graph, at: int, after_s: float) -> Graph:
    """The graph of a process that is killed so long after its query of number `at` has begun."""
    mortal: Any = copy(graph)
    left = [at]

    def counted(reach: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **given: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                threading.Timer(after_s, os.kill, (os.getpid(), signal.SIGKILL)).start()
            return await reach(*args, **given)

        return call

    for name in ("read", "write"):
        setattr(mortal, name, counted(getattr(graph, name)))
    return mortal


async def run(given: Any) -> None:
    """Go on with the run until it ends, or the process does."""
    settings = load_settings()
    async with (
        open_server(settings) as address,
        connect_context(settings, create_embedder("hash"), address) as context,
    ):
        of_one_user(pytest.MonkeyPatch())(given["user"])
        world = Living.tiered(context, given["user"])
        world.now = datetime.fromisoformat(given["now"])
        begun = given["run"] | {"started_at": datetime.fromisoformat(given["run"]["started_at"])}
        slot = JobRun(**begun | {"slot_at": world.now})
        await world.go_on(slot, given["job"], ends(context.graph, given["at"], given["after"]))


if __name__ == "__main__":
    asyncio.run(run(json.loads(sys.argv[1])))
